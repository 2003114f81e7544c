import { isFinal, type Render, type RenderStatus } from '../../domain/render/render.ts';
import { searchTokens } from '../../domain/search/words.ts';
import { requestsList, requestTokens } from '../audit/tokens.ts';
import { skipKey, skipLevel, skipToken, withLevel } from '../embedded/skip-list.ts';
import { byDate, byListToken, type List, type Tier } from '../lists.ts';
import { listPosition } from '../position.ts';
import { nameOf, type RenderDocument } from './documents.ts';

/** What a document holds of its render for queries alone. */
export type QueryFields = Pick<
  RenderDocument,
  | 'project_id'
  | 'account_id'
  | 'status'
  | 'open'
  | 'by_project'
  | 'by_project_status'
  | 'by_project_skip'
  | 'by_project_status_skip'
  | 'by_team_status'
  | 'by_team_status_skip'
  | 'position'
>;

const NOT_REQUESTED: QueryFields = {
  project_id: null,
  account_id: null,
  status: null,
  open: false,
  by_project: null,
  by_project_status: null,
  by_team_status: null,
  position: null,
};

const skipFields = ({ id, project_id, team_id, status, created_at }: Render) => {
  const level = skipLevel(id);
  if (level === 0) return {};
  return {
    by_project_skip: skipKey(project_id, level, created_at, id),
    by_project_status_skip: skipKey(`${project_id}:${status}`, level, created_at, id),
    by_team_status_skip: skipKey(`${team_id}:${status}`, level, created_at, id),
  };
};

/** Of a render without a name, which was erased, none by which a list finds it. */
export const queryFields = (document: Pick<RenderDocument, 'render' | 'name'>): QueryFields => {
  const { render } = document;
  if (render === null) return NOT_REQUESTED;
  const { id, project_id, team_id, account_id, status, created_at } = render;
  const own = { project_id, account_id, status, open: !isFinal(status) };
  if (nameOf(document) === null) return { ...NOT_REQUESTED, ...own };
  const position = listPosition(created_at, id);
  return {
    ...own,
    by_project: `${project_id}:${position}`,
    by_project_status: `${project_id}:${status}:${position}`,
    by_team_status: `${team_id}:${status}:${position}`,
    position,
    ...skipFields(render),
  };
};

/** The actor of the request that the fold accepted. */
const requesterIn = (facts: RenderDocument['facts']): string | null => {
  for (const stored of facts)
    if (stored.verdict === 'accepted' && stored.fact.type === 'RenderRequested') return stored.fact.meta.actor;
  return null;
};

/**
 * All that a search can find a render by, which keeps its project and its name, and that the audit and the team list its
 * request by; none while it is not requested, and once it was erased.
 */
export const tokensOf = (document: Pick<RenderDocument, 'render' | 'name' | 'facts'>): RenderDocument['search'] => {
  const { render, facts } = document;
  const name = nameOf(document);
  if (render === null || name === null) return [];
  const requester = requesterIn(facts);
  return [
    ...withLevel(render.id, searchTokens(render.project_id, name), (token, level) =>
      skipToken(render.project_id, token, level),
    ),
    ...(requester === null ? [] : requestTokens(render, requester)),
  ];
};

/** The renders of a project. A document holds a lot that no list shows: its events, and what it is found by. */
export const projectRenders = (project_id: string, status: RenderStatus | null): List => ({
  scope: project_id,
  date:
    status === null
      ? { field: 'by_project', prefix: project_id }
      : { field: 'by_project_status', prefix: `${project_id}:${status}` },
  own: status === null ? { project_id } : { project_id, status },
  shown: { render: 1, name: 1 },
});

/** The renders of a team that have one status. */
const teamRendersIn = (team_id: string, status: RenderStatus): List => ({
  scope: team_id,
  date: { field: 'by_team_status', prefix: `${team_id}:${status}` },
  own: { 'render.team_id': team_id, status },
  shown: { render: 1, name: 1 },
});

/** The renders of a team, the newest first. Without a status they are those whose requests the audit lists. */
export const teamRenders = (team_id: string, status: RenderStatus | null): Tier =>
  status === null
    ? byListToken('search', requestsList({ tag: 'team', team_id }, null), {}, { render: 1, name: 1 })
    : byDate(teamRendersIn(team_id, status), 'desc');
