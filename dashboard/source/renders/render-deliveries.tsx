import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { useRefetchInterval } from '../live/use-changes.ts';
import { LoadingState } from '../shown/loaded.tsx';
import { DataTable } from '../shown/rows.tsx';
import { deliveryColumns } from '../webhooks/delivery-columns.tsx';
import { endpointsQuery } from '../webhooks/endpoints-query.ts';

export const RenderDeliveries = ({ team_id, render_id }: { readonly team_id: string; readonly render_id: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['render deliveries', render_id],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/renders/{render_id}/deliveries', {
          params: { path: { team_id, render_id } },
        }),
      ),
    refetchInterval: useRefetchInterval(5_000),
  });
  const { data: endpoints } = useQuery(endpointsQuery(team_id));
  const urls = new Map(endpoints?.data.map(({ id, url }) => [id, url]));
  if (data === undefined) return <LoadingState error={error} retry={refetch} />;
  if (data.data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No webhook deliveries for this render.
      </Text>
    );
  return (
    <DataTable
      label="Deliveries of this render"
      rows={data.data}
      keyOf={({ id }) => id}
      columns={[
        ...deliveryColumns(team_id),
        {
          name: 'Endpoint',
          cell: ({ endpoint_id }) => (
            <Anchor
              component={Link}
              href={`/teams/${team_id}/webhooks/${endpoint_id}`}
              style={{ overflowWrap: 'anywhere' }}
            >
              {urls.get(endpoint_id) ?? endpoint_id}
            </Anchor>
          ),
        },
      ]}
    />
  );
};
