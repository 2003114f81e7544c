import { Group, Select, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrapAnswer } from '../api/client.ts';
import { useRefetchInterval } from '../live/use-changes.ts';
import { EmptyList } from '../shown/empty.tsx';
import { firstUpper, wordsOf } from '../shown/first-upper.ts';
import { LoadedData } from '../shown/loaded.tsx';
import { NoMatch } from '../shown/no-match.tsx';
import { Pager, pageQuery, usePagePosition } from '../shown/pages.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';
import { type Delivery, deliveryColumns, deliveryWord } from './delivery-columns.tsx';
import { EVENTS, type Event } from './events.ts';
import { withExpected } from './expected-deliveries.ts';

const STATES = ['pending', 'succeeded', 'exhausted', 'skipped'] as const satisfies readonly Delivery['state'][];

const lastAnswer = ({ last_attempt }: Delivery): string => {
  if (last_attempt === null) return '–';
  return last_attempt.status === null
    ? wordsOf(last_attempt.fault?.code ?? 'no response')
    : String(last_attempt.status);
};

/** @param props.expected deliveries that were requested here, and may not be in the list yet */
export const Deliveries = (props: {
  readonly team_id: string;
  readonly endpoint_id: string;
  readonly expected: readonly Delivery[];
}) => {
  const { team_id, endpoint_id, expected } = props;
  const [state, setState] = useState<Delivery['state'] | null>(null);
  const [event, setEvent] = useState<Event | null>(null);
  const place = usePagePosition(`${state} ${event}`);
  const [pending_ms, idle_ms] = [useRefetchInterval(2_000), useRefetchInterval(10_000)];
  const { data, error, refetch } = useQuery({
    queryKey: ['deliveries', endpoint_id, state, event, place.cursor],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/deliveries', {
          params: {
            path: { team_id, endpoint_id },
            query: { ...pageQuery(place.cursor), ...(state !== null && { state }), ...(event !== null && { event }) },
          },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data: now } }) =>
      now?.data.some((one) => one.state === 'pending') === true ? pending_ms : idle_ms,
  });
  const is_first_page = place.cursor === null && state === null && event === null;
  return (
    <Stack>
      <Group grow align="flex-end">
        <Select
          label="State"
          placeholder="All states"
          data={STATES.map((value) => ({ value, label: firstUpper(deliveryWord({ state: value })) }))}
          value={state}
          clearable
          clearButtonProps={{ 'aria-label': 'All states' }}
          onChange={(value) => setState(STATES.find((one) => one === value) ?? null)}
        />
        <Select
          label="Event"
          placeholder="All events"
          data={EVENTS.slice()}
          value={event}
          clearable
          clearButtonProps={{ 'aria-label': 'All events' }}
          onChange={(value) => setEvent(EVENTS.find((one) => one === value) ?? null)}
        />
      </Group>
      <LoadedData data={data} error={error} retry={refetch}>
        {(page) => {
          const rows = is_first_page ? withExpected(page.data, expected) : page.data;
          return rows.length === 0 && !page.has_more ? (
            state === null && event === null ? (
              <EmptyList title="No deliveries yet">Send a test or create a render.</EmptyList>
            ) : (
              <NoMatch
                what="deliveries"
                clear={() => {
                  setState(null);
                  setEvent(null);
                }}
              />
            )
          ) : (
            <DataTable
              label="Deliveries"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                ...deliveryColumns(team_id),
                { name: 'Last response', cell: lastAnswer },
                {
                  name: 'Next attempt',
                  cell: ({ next_attempt_at }) => (next_attempt_at === null ? '–' : <Time at={next_attempt_at} />),
                },
              ]}
            />
          );
        }}
      </LoadedData>
      <Pager place={place} next={data?.next_cursor ?? null} />
    </Stack>
  );
};
