import { queryOptions, useQueries } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../api/client.ts';
import { useMe } from '../session/me.ts';
import { endpointsQuery } from '../webhooks/endpoints-query.ts';

/** Names by ID. */
export type ElementNames = ReadonlyMap<string, string>;

const LIMIT = 100;
/** Each team needs three requests. */
const MAX_TEAMS = 5;

const keysQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['keys', team_id, 'names'],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/keys', {
          params: { path: { team_id }, query: { limit: LIMIT, state: 'all' } },
        }),
      ),
  });

const projectsQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['projects', team_id, 'names'],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/projects', { params: { path: { team_id }, query: { limit: LIMIT } } }),
      ),
  });

type Named = { readonly id: string; readonly name: string };

/**
 * The names of the person's teams and accounts, and of the newest keys, projects and endpoints of the first of these
 * teams. An element without a name here is shown by its ID.
 */
export const useElementNames = (team_ids: readonly string[]): ElementNames => {
  const { teams, accounts } = useMe();
  const of_teams = team_ids.slice(0, MAX_TEAMS);
  const keys = useQueries({ queries: of_teams.map(keysQuery) });
  const projects = useQueries({ queries: of_teams.map(projectsQuery) });
  const endpoints = useQueries({ queries: of_teams.map(endpointsQuery) });
  const named: readonly Named[] = [
    ...[...teams, ...accounts],
    ...[...keys, ...projects].flatMap(({ data }): readonly Named[] => data?.data ?? []),
  ];
  return new Map([
    ...named.map(({ id, name }) => [id, name] as const),
    ...endpoints.flatMap(({ data }) => data?.data ?? []).map(({ id, url }) => [id, url] as const),
  ]);
};
