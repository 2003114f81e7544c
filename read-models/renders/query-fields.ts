import { isFinal, type RenderStatus } from '../../domain/render/render.ts';
import { searchTokens } from '../../domain/search/words.ts';
import { requestsListToken, requestTokens } from '../audit/tokens.ts';
import { type List, type ListTier, tierByDate, tierByListToken } from '../lists.ts';
import { listPosition } from '../position.ts';
import { nameOf, type RenderDocument } from './documents.ts';

export type QueryFields = Pick<
  RenderDocument,
  'project_id' | 'account_id' | 'status' | 'open' | 'by_project' | 'by_project_status' | 'by_team_status' | 'position'
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

/** An erased render has no name, so no list finds it. */
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
  };
};

const requesterIn = (facts: RenderDocument['facts']): string | null => {
  for (const stored of facts)
    if (stored.verdict === 'accepted' && stored.fact.type === 'RenderRequested') return stored.fact.meta.actor;
  return null;
};

type Requested = Pick<RenderDocument, 'render' | 'name' | 'facts'>;

/** Empty while the render has no name. The project and the name never change. */
export const searchTokensOf = (document: Requested): readonly string[] => {
  const { render } = document;
  const name = nameOf(document);
  return render === null || name === null ? [] : searchTokens(render.project_id, name);
};

/** Tokens of the audit's and the team's lists; empty while the render has no name. */
export const requestTokensOf = (document: Requested): readonly string[] => {
  const { render, facts } = document;
  if (render === null || nameOf(document) === null) return [];
  const requester = requesterIn(facts);
  return requester === null ? [] : requestTokens(render, requester);
};

export const tokensOf = (document: Requested): RenderDocument['search'] => [
  ...searchTokensOf(document),
  ...requestTokensOf(document),
];

export type RenderFilter = {
  readonly status: RenderStatus | null;
  /** A template of a project; null for all renders, also those without a template. */
  readonly template_id: string | null;
};

export const projectRenders = (project_id: string, { status, template_id }: RenderFilter): List => ({
  scope: project_id,
  // The index of templates has the order of `by_project`.
  date:
    status === null || template_id !== null
      ? { field: 'by_project', prefix: project_id }
      : { field: 'by_project_status', prefix: `${project_id}:${status}` },
  own: {
    project_id,
    ...(status !== null && { status }),
    ...(template_id !== null && { 'render.template_id': template_id }),
  },
  shown: { render: 1, name: 1 },
});

const teamRendersIn = (team_id: string, status: RenderStatus): List => ({
  scope: team_id,
  date: { field: 'by_team_status', prefix: `${team_id}:${status}` },
  own: { 'render.team_id': team_id, status },
  shown: { render: 1, name: 1 },
});

/** Newest first. Without a status, the list uses the token of the audit. */
export const teamRenders = (team_id: string, status: RenderStatus | null): ListTier =>
  status === null
    ? tierByListToken('search', requestsListToken({ tag: 'team', team_id }, null), {}, { render: 1, name: 1 })
    : tierByDate(teamRendersIn(team_id, status), 'desc');
