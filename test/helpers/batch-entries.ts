import type { CatalogueEvent } from '../../domain/catalogue/events.ts';
import type { RenderEvent } from '../../domain/render/events.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';

/** A record of partition 2 of `render-events`, appended at 1000 ms + its offset. */
export const recordAt = (offset: number, change: Partial<LogRecord> = {}): LogRecord => ({
  topic: 'render-events',
  partition: 2,
  offset,
  append_time_ms: 1_000 + offset,
  key: Buffer.from('key'),
  value: Buffer.from('value'),
  headers: {},
  ...change,
});

export const batchEntries = (events: readonly (RenderEvent | null)[], first = 0): readonly BatchEntry<RenderEvent>[] =>
  events.map((event, i) =>
    event === null
      ? { tag: 'poison', record: recordAt(first + i), reason: 'no frame' }
      : { tag: 'event', record: recordAt(first + i, { key: Buffer.from(event.render_id) }), event },
  );

export const catalogueEntries = (events: readonly CatalogueEvent[], first = 0): readonly BatchEntry<CatalogueEvent>[] =>
  events.map((event, i) => ({ tag: 'event', record: recordAt(first + i, { topic: 'catalogue-events' }), event }));
