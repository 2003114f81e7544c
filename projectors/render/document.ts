import type { RenderEvent } from '../../domain/render/events.ts';
import type { Verdict } from '../../domain/render/evolve.ts';
import type { StoredEvent } from '../../domain/render/stored-event.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { RenderDocument } from '../../read-models/renders/documents.ts';
import { queryFields } from '../../read-models/renders/query-fields.ts';

/**
 * The fold's result for a render, without `search`: the tokens are some kilobytes, never change, and are written once.
 */
export type FoldedDocument = Omit<RenderDocument, 'search'>;

/** Ignored events that one document shows; more are only counted. */
export const MOST_IGNORED_EVENTS = 100;

const storedEvent = (source: LogRecord, event: RenderEvent, verdict: Verdict): StoredEvent => {
  const where = { offset: source.offset, appended_at: source.append_time_ms };
  if (verdict.tag === 'accepted') return { verdict: 'accepted', ...where, fact: event, transition: verdict.transition };
  const { event_id, actor } = event.meta;
  return { verdict: 'ignored', ...where, type: event.type, event_id, actor, reason: verdict.reason };
};

/** The document after one more event. Every event moves its offset, an ignored one too. */
export const documentAfter = (
  before: FoldedDocument | null,
  source: LogRecord,
  event: RenderEvent,
  verdict: Verdict,
): FoldedDocument => {
  const events = before?.facts ?? [];
  const ignored = before?.ignored_count ?? 0;
  const render = verdict.tag === 'accepted' ? verdict.render : (before?.render ?? null);
  const shown = verdict.tag === 'accepted' || ignored < MOST_IGNORED_EVENTS;
  return {
    _id: event.render_id,
    partition: source.partition,
    offset: source.offset,
    render,
    facts: shown ? [...events, storedEvent(source, event, verdict)] : events,
    ignored_count: verdict.tag === 'ignored' ? ignored + 1 : ignored,
    ...queryFields(render),
  };
};
