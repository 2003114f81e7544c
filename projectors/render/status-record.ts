import type { RenderEvent } from '../../domain/render/events.ts';
import type { Render, Transition } from '../../domain/render/render.ts';
import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { traceOf } from '../../platform/event-log/trace.ts';

/** A record of `render-status` to be published, the trace that it continues, and what metrics need beside it. */
export type StatusToPublish = {
  readonly record: RenderFactAccepted;
  readonly headers: Readonly<Record<string, string>>;
  readonly event: RenderEvent;
  /** When the render came into the status in which the event found it, ms; null for its first event. */
  readonly status_since: number | null;
};

/**
 * What `render-status` says of an accepted event. A pure function of the event, where it stands, and the render before
 * and after it, so that a repeat says the same.
 */
export const statusToPublish = (
  source: LogRecord,
  event: RenderEvent,
  transition: Transition | null,
  before: Render | null,
  render: Render,
): StatusToPublish => {
  const { event_id, occurred_at, actor, correlation_id } = event.meta;
  return {
    record: {
      type: 'RenderFactAccepted',
      meta: { event_id: `${event_id}/accepted`, occurred_at, actor, causation_id: event_id, correlation_id },
      render_id: event.render_id,
      source_offset: source.offset,
      fact_type: event.type,
      fact_causation_id: event.meta.causation_id,
      appended_at: source.append_time_ms,
      transition,
      render,
    },
    headers: traceOf(source.headers),
    event,
    status_since: before === null ? null : (before.updated_at ?? before.created_at),
  };
};
