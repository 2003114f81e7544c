import { useQuery } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../api/client.ts';
import { useAccount } from '../session/me.ts';
import { Page } from '../shown/page.tsx';
import { OVERVIEW_EVERY_MS, Overview } from './overview.tsx';

export const AccountOverviewPage = ({ account_id }: { readonly account_id: string }) => {
  const account = useAccount(account_id);
  const query = useQuery({
    queryKey: ['statistics', account_id],
    queryFn: () =>
      unwrapAnswer(api.GET('/manage/v1/accounts/{account_id}/statistics', { params: { path: { account_id } } })),
    refetchInterval: OVERVIEW_EVERY_MS,
  });
  return (
    <Page
      title="Account overview"
      about={`Renders of all teams of ${account?.name ?? 'the account'}: now and in the last 30 days.`}
    >
      <Overview query={query} />
    </Page>
  );
};
