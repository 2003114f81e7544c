import { Anchor, Code, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { useRefetchInterval } from '../live/use-changes.ts';
import { useHasRight } from '../session/me.ts';
import { ConfirmButton } from '../shown/confirmed.tsx';
import { EmptyList } from '../shown/empty.tsx';
import { PropertyList } from '../shown/facts.tsx';
import { ErrorMessage } from '../shown/fault.tsx';
import { LoadingState } from '../shown/loaded.tsx';
import { StateBadge } from '../shown/mark.tsx';
import { Page } from '../shown/page.tsx';
import { DataTable } from '../shown/rows.tsx';
import { duration, Time } from '../shown/time.tsx';

export const DeliveryPage = ({ team_id, delivery_id }: { readonly team_id: string; readonly delivery_id: string }) => {
  const may_manage = useHasRight(team_id, 'manage_endpoints');
  const path = { team_id, delivery_id };
  const [pending_ms, idle_ms] = [useRefetchInterval(2_000), useRefetchInterval(10_000)];
  /** The new delivery, before this one names it. */
  const [sent_as, setSentAs] = useState<string | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['delivery', delivery_id],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/deliveries/{delivery_id}', { params: { path } })),
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? pending_ms : idle_ms),
  });
  if (data === undefined)
    return (
      <Page title="Delivery">
        <LoadingState error={error} retry={refetch} />
      </Page>
    );
  const other = (id: string) => (
    <Anchor component={Link} href={`/teams/${team_id}/deliveries/${id}`}>
      {id}
    </Anchor>
  );
  return (
    <Page
      title={data.event}
      about={<StateBadge word={data.state} />}
      actions={
        may_manage && sent_as === null && data.repeated_by === null && data.ended_at !== null ? (
          <ConfirmButton
            label="Deliver again"
            danger={false}
            title="Deliver this again?"
            says="Sends it as a new delivery. Clicking twice sends one."
            act={async () => {
              const again = await unwrapAnswer(
                api.POST('/manage/v1/teams/{team_id}/deliveries/{delivery_id}/again', { params: { path }, body: {} }),
              );
              setSentAs(again.delivery_id);
            }}
          />
        ) : null
      }
    >
      <ErrorMessage error={error} retry={refetch} />
      <Paper withBorder p="md" radius="md">
        <PropertyList
          facts={[
            ['ID', <Code key="id">{data.id}</Code>],
            [
              'Endpoint',
              <Anchor key="endpoint" component={Link} href={`/teams/${team_id}/webhooks/${data.endpoint_id}`}>
                {data.endpoint_id}
              </Anchor>,
            ],
            [
              'Render',
              data.seq === 0 ? (
                'none (test)'
              ) : (
                <Anchor key="render" component={Link} href={`/teams/${team_id}/renders/${data.render_id}`}>
                  {data.render_id}
                </Anchor>
              ),
            ],
            ['Created', <Time key="planned" at={data.planned_at} />],
            ['Next attempt', data.next_attempt_at === null ? 'none' : <Time key="next" at={data.next_attempt_at} />],
            ['Reason', data.reason ?? '–'],
            ['Repeats', data.repeats === null ? '–' : other(data.repeats)],
            [
              'Repeated by',
              data.repeated_by === null ? (sent_as === null ? '–' : 'Sending…') : other(data.repeated_by),
            ],
          ]}
        />
      </Paper>
      <Title order={2} size="h3">
        Attempts
      </Title>
      {data.attempts.length === 0 ? (
        <EmptyList title="No attempts yet" />
      ) : (
        <DataTable
          label="Attempts"
          rows={data.attempts}
          keyOf={({ n }) => String(n)}
          columns={[
            { name: 'Attempt', cell: ({ n }) => n },
            { name: 'Started', cell: ({ started_at }) => <Time at={started_at} /> },
            { name: 'Duration', cell: ({ duration_ms }) => duration(duration_ms) },
            { name: 'Result', cell: ({ succeeded }) => <StateBadge word={succeeded ? 'succeeded' : 'failed'} /> },
            { name: 'Status', cell: ({ status }) => status ?? 'no response' },
            {
              name: 'Response',
              cell: ({ fault, response }) => (
                <Stack gap={4}>
                  {fault === null ? null : <Text size="sm">{fault.message}</Text>}
                  {response === null || response === '' ? null : (
                    <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                      {response}
                    </Code>
                  )}
                </Stack>
              ),
            },
          ]}
        />
      )}
    </Page>
  );
};
