import * as E from 'fp-ts/lib/Either.js';
import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { AcceptRecord } from '../processor/decode-batch.ts';
import type { RecordLog } from './record-log.ts';

export const acceptStatusRecord: AcceptRecord<RenderFactAccepted> = (record, { topic }) =>
  record.type === 'RenderFactAccepted' ? E.right(record) : E.left(`${record.type} does not belong in ${topic}`);

/**
 * `source_offset` of the last record of `render-status` before the offset; -1 without such a record. Later records with
 * no higher `source_offset` are repetitions.
 */
export const lastSourceOffset = async (
  { log, decode }: Pick<RecordLog, 'log' | 'decode'>,
  partition: number,
  before: number,
): Promise<number> => {
  if (before === 0) return -1;
  const [record] = await log.read([{ topic: 'render-status', partition, offset: before - 1 }]);
  const decoded = await decode(record?.value ?? null);
  return decoded.tag === 'record' && decoded.record.type === 'RenderFactAccepted' ? decoded.record.source_offset : -1;
};
