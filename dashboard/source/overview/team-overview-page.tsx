import { Anchor, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { useRefetchInterval } from '../live/use-changes.ts';
import { useTeam } from '../session/me.ts';
import { ErrorMessage } from '../shown/fault.tsx';
import { Page } from '../shown/page.tsx';
import { DataTable } from '../shown/rows.tsx';
import { endpointsQuery } from '../webhooks/endpoints-query.ts';
import { endpointHealth } from '../webhooks/health.tsx';
import { OVERVIEW_EVERY_MS, Overview } from './overview.tsx';

type Of = { readonly team_id: string };

const FailingDeliveries = ({ team_id }: Of) => {
  const { data, error, refetch } = useQuery({
    ...endpointsQuery(team_id),
    refetchInterval: useRefetchInterval(OVERVIEW_EVERY_MS),
  });
  const ill = (data?.data ?? []).filter(({ disabled, failing }) => disabled !== null || failing !== null);
  return (
    <Paper withBorder p="md" component="section" aria-label="Failing deliveries">
      <Title order={2} size="h4" mb="sm">
        Failing deliveries
      </Title>
      <ErrorMessage error={error} retry={refetch} />
      {data === undefined ? null : ill.length === 0 ? (
        <Text size="sm" c="dimmed">
          {data.data.length === 0
            ? 'This team has no webhook endpoints.'
            : 'All webhook endpoints accept their deliveries.'}
        </Text>
      ) : (
        <DataTable
          label="Failing endpoints"
          rows={ill}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Endpoint',
              cell: ({ id, url }) => (
                <Anchor component={Link} href={`/teams/${team_id}/webhooks/${id}`} style={{ overflowWrap: 'anywhere' }}>
                  {url}
                </Anchor>
              ),
            },
            { name: 'Problem', cell: endpointHealth },
          ]}
        />
      )}
    </Paper>
  );
};

export const TeamOverviewPage = ({ team_id }: Of) => {
  const team = useTeam(team_id);
  const query = useQuery({
    queryKey: ['statistics', team_id],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/statistics', { params: { path: { team_id } } })),
    refetchInterval: OVERVIEW_EVERY_MS,
  });
  return (
    <Page title="Overview" about={`Renders of ${team?.name ?? 'the team'}: now and in the last 30 days.`}>
      <Overview query={query}>
        <FailingDeliveries team_id={team_id} />
      </Overview>
    </Page>
  );
};
