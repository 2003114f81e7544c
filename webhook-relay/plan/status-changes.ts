import type { Render, Transition } from '../../domain/render/render.ts';
import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { traceHeaders } from '../../platform/event-log/trace.ts';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { DeliveryCause } from '../ports.ts';

export type StatusChange = {
  readonly partition: number;
  readonly offset: number;
  readonly render: Render;
  readonly transition: Transition;
  readonly trace: Pick<WebhookDeliveryDocument, 'traceparent'>;
};

export type StatusWork =
  | { readonly tag: 'change'; readonly offset: number; readonly change: StatusChange; readonly cause: DeliveryCause }
  | { readonly tag: 'erased'; readonly offset: number; readonly render_id: string };

export type FetchedRecord = { readonly offset: number } & (
  | { readonly tag: 'poison'; readonly record: LogRecord; readonly reason: string }
  | { readonly tag: 'event'; readonly source_offset: number; readonly work: readonly StatusWork[] }
);

const changeIn = (
  { partition, offset, headers }: LogRecord,
  { render, transition }: RenderFactAccepted,
): StatusChange | null =>
  transition === null ? null : { partition, offset, render, transition, trace: traceHeaders(headers) };

const causeIn = ({ meta }: RenderFactAccepted): DeliveryCause => ({
  causation_id: meta.event_id,
  correlation_id: meta.correlation_id,
});

const workIn = (record: LogRecord, status: RenderFactAccepted): readonly StatusWork[] => {
  const { offset } = record;
  if (status.fact_type === 'RenderErased') return [{ tag: 'erased', offset, render_id: status.render_id }];
  const change = changeIn(record, status);
  return change === null ? [] : [{ tag: 'change', offset, change, cause: causeIn(status) }];
};

export const fetchedRecord = (entry: BatchEntry<RenderFactAccepted>): FetchedRecord => {
  const { record } = entry;
  const { offset } = record;
  if (entry.tag === 'poison') return { tag: 'poison', offset, record, reason: entry.reason };
  return { tag: 'event', offset, source_offset: entry.event.source_offset, work: workIn(record, entry.event) };
};

/** The status change at an offset; null if that record changed no status. Rejects on Kafka outage. */
export const readStatusChange = async (
  records: RecordLog,
  partition: number,
  offset: number,
): Promise<StatusChange | null> => {
  const [record] = await records.log.read([{ topic: 'render-status', partition, offset }]);
  if (record === null || record === undefined) return null;
  const decoded = await records.decode(record.value);
  return decoded.tag === 'record' && decoded.record.type === 'RenderFactAccepted'
    ? changeIn(record, decoded.record)
    : null;
};
