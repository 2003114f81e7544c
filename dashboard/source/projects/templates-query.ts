import { queryOptions } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../api/client.ts';

export const templatesQuery = (team_id: string, project_id: string) =>
  queryOptions({
    queryKey: ['templates', project_id],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/projects/{project_id}/templates', {
          params: { path: { team_id, project_id } },
        }),
      ),
  });
