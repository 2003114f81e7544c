import { queryOptions } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../api/client.ts';

/** Signed URLs expire; reloading the page fetches new ones. */
export const filesQuery = (team_id: string, render_id: string) =>
  queryOptions({
    queryKey: ['files', render_id],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/renders/{render_id}/files', { params: { path: { team_id, render_id } } }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
