import type { RenderEvent } from '../../domain/render/events.ts';
import type { Verdict } from '../../domain/render/evolve.ts';
import type { StoredEvent } from '../../domain/render/stored-event.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { type RenderDocument, withoutRequestTexts } from '../../read-models/renders/documents.ts';
import { queryFields } from '../../read-models/renders/query-fields.ts';
import { isNameHidden, type RequestNameLookup } from './names.ts';

/** Without `search`: the tokens have some kilobytes and never change, so they are written once. */
export type FoldedDocument = Omit<RenderDocument, 'search'>;

/** A document lists at most this many ignored events. Further ones are only counted. */
export const MAX_IGNORED_EVENTS = 100;

const storedEvent = (source: LogRecord, event: RenderEvent, verdict: Verdict): StoredEvent => {
  const where = { offset: source.offset, appended_at: source.append_time_ms };
  if (verdict.tag === 'accepted') return { verdict: 'accepted', ...where, fact: event, transition: verdict.transition };
  const { event_id, actor } = event.meta;
  return { verdict: 'ignored', ...where, type: event.type, event_id, actor, reason: verdict.reason };
};

const nameKept = (before: FoldedDocument | null): Pick<FoldedDocument, 'name' | 'name_salt'> =>
  before?.name === undefined ? {} : { name: before.name, name_salt: before.name_salt ?? null };

const nameAfter = (
  before: FoldedDocument | null,
  event: RenderEvent,
  nameOf: RequestNameLookup,
): Pick<FoldedDocument, 'name' | 'name_salt'> => {
  if (event.type === 'RenderErased') return { name: null, name_salt: null };
  if (event.type === 'RenderRequested' && isNameHidden(event)) {
    const named = nameOf(event);
    return { name: named?.name ?? null, name_salt: named?.salt ?? null };
  }
  return nameKept(before);
};

/**
 * Every event moves the document's offset, also an ignored one.
 *
 * @param nameOf finds the name of a request whose name is not in the log
 */
export const documentAfter = (
  before: FoldedDocument | null,
  source: LogRecord,
  event: RenderEvent,
  verdict: Verdict,
  nameOf: RequestNameLookup,
): FoldedDocument => {
  const is_accepted = verdict.tag === 'accepted';
  const kept = before?.facts ?? [];
  const events = is_accepted && event.type === 'RenderErased' ? kept.map(withoutRequestTexts) : kept;
  const ignored = before?.ignored_count ?? 0;
  const render = is_accepted ? verdict.render : (before?.render ?? null);
  const named = is_accepted ? nameAfter(before, event, nameOf) : nameKept(before);
  const shown = is_accepted || ignored < MAX_IGNORED_EVENTS;
  return {
    _id: event.render_id,
    partition: source.partition,
    offset: source.offset,
    render,
    ...named,
    facts: shown ? [...events, storedEvent(source, event, verdict)] : events,
    ignored_count: verdict.tag === 'ignored' ? ignored + 1 : ignored,
    ...queryFields({ render, ...named }),
  };
};
