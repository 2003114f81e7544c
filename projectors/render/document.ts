import type { RenderEvent } from '../../domain/render/events.ts';
import type { Verdict } from '../../domain/render/evolve.ts';
import type { StoredFact } from '../../domain/render/stored-fact.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { RenderDocument } from '../../read-models/renders/documents.ts';
import { queryFields } from '../../read-models/renders/query-fields.ts';

/**
 * What the fold makes of a render. Its `search` is not in it: the tokens are some kilobytes, never change, and are
 * written once.
 */
export type FoldedDocument = Omit<RenderDocument, 'search'>;

/** Ignored facts that one document shows; more are only counted. */
export const MOST_IGNORED_FACTS = 100;

const storedFact = (source: LogRecord, fact: RenderEvent, verdict: Verdict): StoredFact => {
  const where = { offset: source.offset, appended_at: source.append_time_ms };
  if (verdict.tag === 'accepted') return { verdict: 'accepted', ...where, fact, transition: verdict.transition };
  const { event_id, actor } = fact.meta;
  return { verdict: 'ignored', ...where, type: fact.type, event_id, actor, reason: verdict.reason };
};

/** The document after one more fact. Every fact moves its offset, an ignored one too. */
export const documentAfter = (
  before: FoldedDocument | null,
  source: LogRecord,
  fact: RenderEvent,
  verdict: Verdict,
): FoldedDocument => {
  const facts = before?.facts ?? [];
  const ignored = before?.ignored_count ?? 0;
  const render = verdict.tag === 'accepted' ? verdict.render : (before?.render ?? null);
  const shown = verdict.tag === 'accepted' || ignored < MOST_IGNORED_FACTS;
  return {
    _id: fact.render_id,
    partition: source.partition,
    offset: source.offset,
    render,
    facts: shown ? [...facts, storedFact(source, fact, verdict)] : facts,
    ignored_count: verdict.tag === 'ignored' ? ignored + 1 : ignored,
    ...queryFields(render),
  };
};
