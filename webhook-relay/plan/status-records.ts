import type { RenderFactAccepted } from '../../domain/render/status.ts';
import { type LogRecord, StopPartition } from '../../platform/event-log/event-log.ts';
import { traceOf } from '../../platform/event-log/trace.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { Cause } from '../ports.ts';
import type { StatusChange } from './deliveries-of.ts';

/** Null for bytes that are no record, and never will be. Throws `StopPartition` for what is not understood yet. */
export const statusRecord = async (
  records: RecordLog,
  record: LogRecord,
  on_poison: (record: LogRecord, reason: string) => void,
): Promise<RenderFactAccepted | null> => {
  const decoded = await records.decode(record.value);
  if (decoded.tag === 'poison') {
    on_poison(record, decoded.reason);
    return null;
  }
  if (decoded.tag === 'unknown') throw new StopPartition(decoded.reason);
  if (decoded.record.type !== 'RenderFactAccepted')
    throw new StopPartition(`${decoded.record.type} does not belong in ${record.topic}`);
  return decoded.record;
};

/** Null where the fact changed no status. */
export const changeIn = (
  { partition, offset, headers }: LogRecord,
  { render, transition }: RenderFactAccepted,
): StatusChange | null =>
  transition === null ? null : { partition, offset, render, transition, trace: traceOf(headers) };

export const causeIn = ({ meta }: RenderFactAccepted): Cause => ({
  causation_id: meta.event_id,
  correlation_id: meta.correlation_id,
});

/**
 * What stands at one offset of `render-status`; null if that is no change of a status. Rejects while Kafka is away.
 */
export const changeAt = async (records: RecordLog, partition: number, offset: number): Promise<StatusChange | null> => {
  const [record] = await records.log.read([{ topic: 'render-status', partition, offset }]);
  if (record === null || record === undefined) return null;
  const decoded = await records.decode(record.value);
  return decoded.tag === 'record' && decoded.record.type === 'RenderFactAccepted'
    ? changeIn(record, decoded.record)
    : null;
};

/** The number of the record before `next`, so that a repeat right after a restart is known as one. */
export const sourceOffsetBefore = async (records: RecordLog, partition: number, next: number): Promise<number> => {
  if (next === 0) return -1;
  const [record] = await records.log.read([{ topic: 'render-status', partition, offset: next - 1 }]);
  const decoded = await records.decode(record?.value ?? null);
  return decoded.tag === 'record' && decoded.record.type === 'RenderFactAccepted' ? decoded.record.source_offset : -1;
};
