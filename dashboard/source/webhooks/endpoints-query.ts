import { queryOptions } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../api/client.ts';

export const endpointsQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['endpoints', team_id],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/endpoints', { params: { path: { team_id } } })),
  });
