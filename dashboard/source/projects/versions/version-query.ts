import { queryOptions } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../../api/client.ts';

/** A version never changes. */
export const versionQuery = (team_id: string, project_id: string, version: number) =>
  queryOptions({
    queryKey: ['version', project_id, version],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/projects/{project_id}/versions/{version}', {
          params: { path: { team_id, project_id, version } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
