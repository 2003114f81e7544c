import { useQuery } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../api/client.ts';
import { useMe } from '../session/me.ts';
import { endpointsQuery } from '../webhooks/endpoints-query.ts';

/** Names by ID. */
export type ElementNames = ReadonlyMap<string, string>;

const LIMIT = 100;

type Named = { readonly id: string; readonly name: string };

/**
 * The names of the person's teams and accounts, and of the newest keys, projects and endpoints of a team. An element
 * without a name here is shown by its ID.
 *
 * @param team_id null for an audit of several teams
 */
export const useElementNames = (team_id: string | null): ElementNames => {
  const { teams, accounts } = useMe();
  const path = { team_id: team_id ?? '' };
  const enabled = team_id !== null;
  const { data: keys } = useQuery({
    queryKey: ['keys', team_id, 'names'],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/keys', { params: { path, query: { limit: LIMIT, state: 'all' } } }),
      ),
    enabled,
  });
  const { data: projects } = useQuery({
    queryKey: ['projects', team_id, 'names'],
    queryFn: () =>
      unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/projects', { params: { path, query: { limit: LIMIT } } })),
    enabled,
  });
  const { data: endpoints } = useQuery({ ...endpointsQuery(path.team_id), enabled });
  const named: readonly Named[] = [...teams, ...accounts, ...(keys?.data ?? []), ...(projects?.data ?? [])];
  return new Map([
    ...named.map(({ id, name }) => [id, name] as const),
    ...(endpoints?.data ?? []).map(({ id, url }) => [id, url] as const),
  ]);
};
