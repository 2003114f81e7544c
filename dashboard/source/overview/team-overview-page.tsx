import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRefetchInterval } from '../live/use-changes.ts';
import { NewVideoOfTeam } from '../new-video/new-video-button.tsx';
import { useTeam } from '../session/me.ts';
import { useDays } from '../shown/days.tsx';
import { Page } from '../shown/page.tsx';
import { Attention } from './attention.tsx';
import { LatestFilms } from './latest-films.tsx';
import { NextSteps } from './next-steps.tsx';
import { Overview } from './overview.tsx';
import { OVERVIEW_EVERY_MS } from './statistics-days.ts';
import { teamStatisticsQuery } from './statistics-queries.ts';

export const TeamOverviewPage = ({ team_id }: { readonly team_id: string }) => {
  const team = useTeam(team_id);
  const period = useDays();
  const query = useQuery({
    ...teamStatisticsQuery(team_id, period.days),
    placeholderData: keepPreviousData,
    refetchInterval: useRefetchInterval(OVERVIEW_EVERY_MS),
  });
  return (
    <Page title="Overview" about={team?.name} actions={<NewVideoOfTeam team_id={team_id} project_id={null} />}>
      <Attention team_id={team_id} />
      <NextSteps team_id={team_id} />
      <LatestFilms team_id={team_id} />
      <Overview query={query} period={period} />
    </Page>
  );
};
