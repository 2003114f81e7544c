import type { RenderEvent } from '../../domain/render/events.ts';
import type { Render, Transition } from '../../domain/render/render.ts';
import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { traceHeaders } from '../../platform/event-log/trace.ts';

export type StatusToPublish = {
  readonly record: RenderFactAccepted;
  readonly headers: Readonly<Record<string, string>>;
  readonly event: RenderEvent;
  /** When the render entered its status before the event, ms; null for its first event. */
  readonly status_since: number | null;
};

/** A pure function of the event, its place, and the render before and after it, so a repeat has the same content. */
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
    headers: traceHeaders(source.headers),
    event,
    status_since: before === null ? null : (before.updated_at ?? before.created_at),
  };
};
