import { ulid } from 'ulid';
import type { RenderEvent } from '../domain/render/events.ts';
import type { BatchEntry } from '../platform/processor/decode-batch.ts';
import { completionEvents } from './filled-projects.ts';
import { renderRequested } from './render-requested.ts';

/** The events of whole lives of renders, one life after the other. */
export const lifecycleEvents = (lives: number): readonly RenderEvent[] =>
  Array.from({ length: lives }, () => `rend_${ulid()}`).flatMap((render_id) => [
    renderRequested({ render_id, account_id: 'acc_bench', team_id: 'team_bench' }),
    ...completionEvents(render_id),
  ]);

/** The same events, as the projector gets them from a partition. */
export const lifecycleEntries = (lives: number): readonly (BatchEntry<RenderEvent> & { readonly tag: 'event' })[] => {
  const at = { topic: 'render-events', partition: 0, append_time_ms: Date.now(), value: null, headers: {} };
  return lifecycleEvents(lives).map((event, offset) => ({
    tag: 'event' as const,
    record: { ...at, offset, key: Buffer.from(event.render_id) },
    event,
  }));
};
