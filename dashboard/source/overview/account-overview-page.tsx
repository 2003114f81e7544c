import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRefetchInterval } from '../live/use-changes.ts';
import { useAccount } from '../session/me.ts';
import { useDays } from '../shown/days.tsx';
import { Page } from '../shown/page.tsx';
import { Overview } from './overview.tsx';
import { OVERVIEW_EVERY_MS } from './statistics-days.ts';
import { accountStatisticsQuery } from './statistics-queries.ts';

export const AccountOverviewPage = ({ account_id }: { readonly account_id: string }) => {
  const account = useAccount(account_id);
  const period = useDays();
  const query = useQuery({
    ...accountStatisticsQuery(account_id, period.days),
    refetchInterval: useRefetchInterval(OVERVIEW_EVERY_MS),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title="Account overview" about={`All teams of ${account?.name ?? 'the account'}.`}>
      <Overview query={query} period={period} />
    </Page>
  );
};
