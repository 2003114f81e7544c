import type { RenderEvent } from '../../domain/render/events.ts';
import type { Verdict } from '../../domain/render/evolve.ts';
import { isFinal, type Render } from '../../domain/render/render.ts';
import type { StoredFact } from '../../domain/render/stored-fact.ts';
import { searchTokens } from '../../domain/search/words.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { listPosition } from '../../read-models/position.ts';
import type { RenderDocument } from '../../read-models/renders/documents.ts';

/**
 * What the fold makes of a render. Its `search` is not in it: the tokens are some kilobytes, never change, and are
 * written once.
 */
export type FoldedDocument = Omit<RenderDocument, 'search'>;

/** All that a search can find a render by, which keeps its project and its name; none while it is not requested. */
export const tokensOf = (render: Render | null): RenderDocument['search'] =>
  render === null ? [] : searchTokens(render.project_id, render.name);

/** Ignored facts that one document shows; more are only counted. */
export const MOST_IGNORED_FACTS = 100;

type QueryFields = Pick<
  RenderDocument,
  'project_id' | 'account_id' | 'status' | 'open' | 'by_project' | 'by_project_status' | 'position'
>;

const NOT_REQUESTED: QueryFields = {
  project_id: null,
  account_id: null,
  status: null,
  open: false,
  by_project: null,
  by_project_status: null,
  position: null,
};

const queryFields = (render: Render): QueryFields => {
  const { id, project_id, account_id, status, created_at } = render;
  const position = listPosition(created_at, id);
  return {
    project_id,
    account_id,
    status,
    open: !isFinal(status),
    by_project: `${project_id}:${position}`,
    by_project_status: `${project_id}:${status}:${position}`,
    position,
  };
};

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
    ...(render === null ? NOT_REQUESTED : queryFields(render)),
  };
};
