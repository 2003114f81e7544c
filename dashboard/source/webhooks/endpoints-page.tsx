import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useRefetchInterval } from '../live/use-changes.ts';
import { FreshSignInAction } from '../session/fresh.tsx';
import { useHasRight } from '../session/me.ts';
import { EmptyList } from '../shown/empty.tsx';
import { LoadedData } from '../shown/loaded.tsx';
import { StateBadge } from '../shown/mark.tsx';
import { Page } from '../shown/page.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';
import { endpointsQuery } from './endpoints-query.ts';
import { endpointHealth } from './health.tsx';
import { CreateEndpoint } from './make-endpoint.tsx';

export const EndpointsPage = ({ team_id }: { readonly team_id: string }) => {
  const may_manage = useHasRight(team_id, 'manage_endpoints');
  const { data, error, refetch } = useQuery({
    ...endpointsQuery(team_id),
    refetchInterval: useRefetchInterval(10_000),
  });
  return (
    <Page
      title="Webhooks"
      help="webhook"
      about="Send render events to your own URLs."
      actions={
        may_manage ? (
          <FreshSignInAction name="make" label="Create an endpoint">
            {(shown) => <CreateEndpoint team_id={team_id} {...shown} />}
          </FreshSignInAction>
        ) : null
      }
    >
      <LoadedData data={data} error={error} retry={refetch}>
        {(page) =>
          page.data.length === 0 ? (
            <EmptyList title="No endpoints yet">
              {may_manage
                ? 'Create one with your URL, send a test, and verify its signature with the secret.'
                : 'Ask an admin of the team to create one.'}
            </EmptyList>
          ) : (
            <DataTable
              label="Webhook endpoints"
              rows={page.data}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'URL',
                  cell: ({ id, url }) => (
                    <Anchor
                      component={Link}
                      href={`/teams/${team_id}/webhooks/${id}`}
                      style={{ overflowWrap: 'anywhere' }}
                    >
                      {url}
                    </Anchor>
                  ),
                },
                { name: 'State', cell: ({ state }) => <StateBadge word={state} /> },
                { name: 'Events', cell: ({ events }) => events.join(', ') },
                { name: 'Health', cell: endpointHealth },
                { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
              ]}
            />
          )
        }
      </LoadedData>
    </Page>
  );
};
