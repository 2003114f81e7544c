import { queryOptions } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../api/client.ts';

export const creditsQuery = (account_id: string) =>
  queryOptions({
    queryKey: ['balance', account_id, 'credits'],
    queryFn: () =>
      unwrapAnswer(api.GET('/manage/v1/accounts/{account_id}/credits', { params: { path: { account_id } } })),
  });

export const creditsText = (count: number): string => `${count.toLocaleString()} ${count === 1 ? 'credit' : 'credits'}`;
