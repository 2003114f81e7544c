import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { traceOf } from '../../platform/event-log/trace.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { Cause } from '../ports.ts';
import type { StatusChange } from './deliveries-of.ts';
import type { Taken } from './owned-partition.ts';

/** Null where the event changed no status. */
const changeIn = (
  { partition, offset, headers }: LogRecord,
  { render, transition }: RenderFactAccepted,
): StatusChange | null =>
  transition === null ? null : { partition, offset, render, transition, trace: traceOf(headers) };

const causeIn = ({ meta }: RenderFactAccepted): Cause => ({
  causation_id: meta.event_id,
  correlation_id: meta.correlation_id,
});

/** Nothing where no delivery depends on the record. */
export const takenIn = (record: LogRecord, status: RenderFactAccepted): readonly Taken[] => {
  const { offset } = record;
  if (status.fact_type === 'RenderErased') return [{ tag: 'erased', offset, render_id: status.render_id }];
  const change = changeIn(record, status);
  return change === null ? [] : [{ tag: 'change', offset, change, cause: causeIn(status) }];
};

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
