import { queryOptions } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../api/client.ts';
import { firstDay } from './statistics-days.ts';

export const accountStatisticsQuery = (account_id: string, days: number) =>
  queryOptions({
    queryKey: ['statistics', account_id, days],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/accounts/{account_id}/statistics', {
          params: { path: { account_id }, query: { since: firstDay(Date.now(), days) } },
        }),
      ),
  });

export const teamStatisticsQuery = (team_id: string, days: number) =>
  queryOptions({
    queryKey: ['statistics', team_id, days],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/statistics', {
          params: { path: { team_id }, query: { since: firstDay(Date.now(), days) } },
        }),
      ),
  });
