import { Anchor, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { useRefetchInterval } from '../live/use-changes.ts';
import { useHasRight } from '../session/me.ts';
import { ConfirmButton } from '../shown/confirmed.tsx';
import { EmptyList } from '../shown/empty.tsx';
import { PropertyList } from '../shown/facts.tsx';
import { ErrorMessage } from '../shown/fault.tsx';
import { wordsOf } from '../shown/first-upper.ts';
import { LoadingState } from '../shown/loaded.tsx';
import { StateBadge } from '../shown/mark.tsx';
import { Page } from '../shown/page.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';
import { duration } from '../shown/time-text.ts';
import { deliveryWord, isTest } from './delivery-columns.tsx';
import { DeliveryRequest } from './delivery-request.tsx';

type Delivery = Schemas['LoggedDelivery'];

const DeliveryFacts = (props: {
  readonly team_id: string;
  readonly delivery: Delivery;
  readonly is_sent_again: boolean;
}) => {
  const { team_id, delivery: data, is_sent_again } = props;
  const { data: render } = useQuery({
    queryKey: ['render', data.render_id],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/renders/{render_id}', {
          params: { path: { team_id, render_id: data.render_id } },
        }),
      ),
    enabled: !isTest(data),
    retry: false,
  });
  const other = (id: string, text: string) => (
    <Anchor component={Link} href={`/teams/${team_id}/deliveries/${id}`} title={id}>
      {text}
    </Anchor>
  );
  return (
    <Paper withBorder p="md">
      <PropertyList
        facts={[
          [
            'Endpoint',
            <Anchor
              key="endpoint"
              component={Link}
              href={`/teams/${team_id}/webhooks/${data.endpoint_id}`}
              style={{ overflowWrap: 'anywhere' }}
            >
              {data.endpoint_url ?? data.endpoint_id}
            </Anchor>,
          ],
          [
            'Render',
            isTest(data) ? (
              'None: this is a test'
            ) : (
              <Anchor key="render" component={Link} href={`/teams/${team_id}/renders/${data.render_id}`}>
                {render?.name ?? data.render_id}
              </Anchor>
            ),
          ],
          ['Created', <Time key="planned" at={data.planned_at} />],
          ['Next attempt', data.next_attempt_at === null ? 'None' : <Time key="next" at={data.next_attempt_at} />],
          ...(data.reason === null ? [] : [['Reason', wordsOf(data.reason)] as const]),
          ...(data.repeats === null ? [] : [['Repeats', other(data.repeats, 'An earlier delivery')] as const]),
          ...(data.repeated_by === null && !is_sent_again
            ? []
            : [
                [
                  'Repeated by',
                  data.repeated_by === null ? 'Sending…' : other(data.repeated_by, 'A new delivery'),
                ] as const,
              ]),
        ]}
      />
    </Paper>
  );
};

const Attempts = ({ attempts }: Pick<Delivery, 'attempts'>) => (
  <>
    <Title order={2} size="h3">
      Attempts
    </Title>
    {attempts.length === 0 ? (
      <EmptyList title="No attempts yet" />
    ) : (
      <DataTable
        label="Attempts"
        rows={attempts}
        keyOf={({ n }) => String(n)}
        columns={[
          { name: 'Attempt', cell: ({ n }) => n },
          { name: 'Started', cell: ({ started_at }) => <Time at={started_at} /> },
          { name: 'Duration', cell: ({ duration_ms }) => duration(duration_ms) },
          { name: 'Result', cell: ({ succeeded }) => <StateBadge word={succeeded ? 'succeeded' : 'failed'} /> },
          { name: 'Status', cell: ({ status }) => status ?? 'No response' },
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
  </>
);

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
  return (
    <Page
      title={data.event}
      trail={[
        { label: 'Webhooks', to: `/teams/${team_id}/webhooks` },
        {
          label: data.endpoint_url ?? 'Endpoint',
          to: `/teams/${team_id}/webhooks/${data.endpoint_id}`,
        },
      ]}
      about={
        <Group gap="xs">
          <StateBadge word={deliveryWord(data)} />
          {isTest(data) ? <StateBadge word="test" /> : null}
        </Group>
      }
      actions={
        may_manage && sent_as === null && data.repeated_by === null && data.ended_at !== null && !isTest(data) ? (
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
      <DeliveryFacts team_id={team_id} delivery={data} is_sent_again={sent_as !== null} />
      <DeliveryRequest delivery={data} />
      <Attempts attempts={data.attempts} />
    </Page>
  );
};
