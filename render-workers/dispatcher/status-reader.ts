import type { Observation } from '../../domain/dispatch/dispatch.ts';
import type { Subscription } from '../../platform/event-log/event-log.ts';
import { traceOf } from '../../platform/event-log/trace.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { Headers } from '../log/record-author.ts';
import { decodeRecords, endsOf, followFrom, type ReadRecord } from '../log/topic-follower.ts';

const TOPIC = 'render-status';

export type SeenRender = Extract<Observation, { tag: 'render_seen' }>;

/** An accepted event, and the trace that it continues. */
export type ReadStatus = { readonly seen: SeenRender; readonly trace: Headers };

/** `source_offset` of the last record of each partition: what is not above it was there already. */
const lastSourceOffsets = async (
  records: RecordLog,
  ends: ReadonlyMap<number, number>,
): Promise<Map<number, number>> => {
  const last = [...ends].flatMap(([partition, end]) => (end > 0 ? [{ topic: TOPIC, partition, offset: end - 1 }] : []));
  const sources = (await records.log.read(last)).flatMap((source) => source ?? []);
  const read = await decodeRecords(records, sources, 'skip');
  return new Map(
    read.flatMap(({ record, source }) =>
      record.type === 'RenderFactAccepted' ? [[source.partition, record.source_offset] as const] : [],
    ),
  );
};

/**
 * Notes where `render-status` ends now, and on `start` reads on from there. A record that repeats one of before, or
 * that a slow projector sent late, is dropped by its `source_offset`.
 */
export const statusReader = async (
  records: RecordLog,
  group: string,
  onStatus: (read: readonly ReadStatus[]) => void,
): Promise<{ readonly start: () => Promise<Subscription> }> => {
  const from = await endsOf(records, TOPIC);
  const above = await lastSourceOffsets(records, from);

  const fresh = ({ record, source }: ReadRecord): readonly ReadStatus[] => {
    if (record.type !== 'RenderFactAccepted') return [];
    if (record.source_offset <= (above.get(source.partition) ?? -1)) return [];
    above.set(source.partition, record.source_offset);
    const { render, source_offset, meta } = record;
    const event_id = meta.causation_id;
    const seen: SeenRender = { tag: 'render_seen', render, offset: source_offset, event_id, actor: meta.actor };
    return [{ seen, trace: traceOf(source.headers) }];
  };
  return {
    start: async () =>
      await followFrom(records, {
        group,
        topic: TOPIC,
        from,
        unknown: 'stop',
        on_records: (batch) => onStatus(batch.flatMap(fresh)),
      }),
  };
};
