import { Anchor, Stack, Text, Title } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { useAccount, useMe } from '../session/me.ts';
import { EmptyList } from '../shown/empty.tsx';
import { LoadedData } from '../shown/loaded.tsx';
import { StateBadge } from '../shown/mark.tsx';
import { Page } from '../shown/page.tsx';
import { Pager, pageQuery, usePagePosition } from '../shown/pages.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';
import { duration } from '../shown/time-text.ts';

const EVERY_MS = 5_000;
/** These queries are expensive for the store. */
const QUEUES_EVERY_MS = 15_000;

const Part = <A,>(props: {
  readonly title: string;
  readonly none: string;
  readonly query: UseQueryResult<{ readonly data: readonly A[] }>;
  readonly children: (rows: readonly A[]) => ReactNode;
}) => {
  const { title, none, query, children } = props;
  const { data, error, refetch } = query;
  return (
    <Stack gap="sm">
      <Title order={2} size="h3">
        {title}
      </Title>
      <LoadedData data={data} error={error} retry={refetch}>
        {(page) => (page.data.length === 0 ? <EmptyList title={none} /> : children(page.data))}
      </LoadedData>
    </Stack>
  );
};

const AccountName = ({ id, name }: { readonly id: string; readonly name: string | null }) =>
  useAccount(id) === null ? (
    (name ?? 'unknown')
  ) : (
    <Anchor component={Link} href={`/accounts/${id}`}>
      {name ?? 'unknown'}
    </Anchor>
  );

const wait = (ms: number | null): string => (ms === null ? '–' : duration(ms));

const Queues = () => {
  const query = useQuery({
    queryKey: ['operators', 'queues'],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/operators/queues')),
    refetchInterval: QUEUES_EVERY_MS,
  });
  const { all, is_whole = true } = query.data ?? {};
  return (
    <Part title="Queues" none="No renders are waiting or running" query={query}>
      {(rows) => (
        <>
          {all !== undefined && (
            <Text>
              {is_whole ? '' : 'At least '}
              {all.preparing.toLocaleString()} to prepare, {all.queued.toLocaleString()} queued,{' '}
              {all.running.toLocaleString()} running; accounts: {all.accounts.toLocaleString()}
              {rows.length < all.accounts ? `, of which ${rows.length} are shown` : ''}
            </Text>
          )}
          <DataTable
            label="Queues"
            rows={rows}
            keyOf={({ account_id }) => account_id}
            columns={[
              {
                name: 'Account',
                cell: ({ account_id, account_name: name }) => <AccountName id={account_id} name={name} />,
              },
              { name: 'ID', cell: ({ account_id }) => account_id },
              { name: 'To prepare', cell: ({ preparing }) => preparing.toLocaleString() },
              { name: 'Queued', cell: ({ queued }) => queued.toLocaleString() },
              { name: 'Running', cell: ({ running }) => running.toLocaleString() },
              { name: 'Longest wait', cell: ({ longest_wait_ms: ms }) => wait(ms) },
            ]}
          />
        </>
      )}
    </Part>
  );
};

const Accounts = () => {
  const place = usePagePosition('accounts');
  const query = useQuery({
    queryKey: ['operators', 'accounts', place.cursor],
    queryFn: () =>
      unwrapAnswer(api.GET('/manage/v1/operators/accounts', { params: { query: pageQuery(place.cursor) } })),
  });
  return (
    <>
      <Part title="Accounts" none="No accounts yet" query={query}>
        {(rows) => (
          <DataTable
            label="Accounts"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { name: 'Account', cell: ({ id, name }) => <AccountName id={id} name={name} /> },
              { name: 'ID', cell: ({ id }) => id },
              { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
            ]}
          />
        )}
      </Part>
      <Pager place={place} next={query.data?.next_cursor ?? null} />
    </>
  );
};

const Workers = () => {
  const query = useQuery({
    queryKey: ['operators', 'workers'],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/operators/workers')),
    refetchInterval: EVERY_MS,
  });
  return (
    <Part title="Workers" none="No worker sent a heartbeat in the last minute" query={query}>
      {(rows) => (
        <DataTable
          label="Workers"
          rows={rows}
          keyOf={({ machine, worker_id }) => `${machine} ${worker_id}`}
          columns={[
            { name: 'Worker', cell: ({ worker_id, machine }) => worker_id ?? machine },
            { name: 'State', cell: ({ standing }) => <StateBadge word={standing} /> },
            { name: 'Attempts', cell: ({ attempts, slots }) => `${attempts} of ${slots}` },
            { name: 'Helping', cell: ({ helping }) => helping },
            { name: 'Impediments', cell: ({ impediments }) => impediments.join(', ') || '–' },
            {
              name: 'Last heartbeat',
              cell: ({ heard_ms_ago: ago }) => (ago === null ? 'never' : `${duration(ago)} ago`),
            },
          ]}
        />
      )}
    </Part>
  );
};

const ReadModels = () => {
  const query = useQuery({
    queryKey: ['operators', 'read-models'],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/operators/read-models')),
    refetchInterval: EVERY_MS,
  });
  return (
    <Part title="Read models" none="No read models yet" query={query}>
      {(rows) => (
        <DataTable
          label="Read models"
          rows={rows}
          keyOf={({ read_model }) => read_model}
          columns={[
            { name: 'Read model', cell: ({ read_model }) => read_model },
            { name: 'Generation', cell: ({ generation }) => generation ?? '–' },
            { name: 'Records', cell: ({ folded }) => folded.toLocaleString() },
            { name: 'Behind', cell: ({ behind }) => behind?.toLocaleString() ?? 'unknown' },
          ]}
        />
      )}
    </Part>
  );
};

const Partitions = () => {
  const query = useQuery({
    queryKey: ['operators', 'stopped-partitions'],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/operators/stopped-partitions')),
    refetchInterval: EVERY_MS,
  });
  return (
    <Part title="Stopped partitions" none="No stopped partitions" query={query}>
      {(rows) => (
        <DataTable
          label="Stopped partitions"
          rows={rows}
          keyOf={({ group, topic, partition }) => `${group} ${topic} ${partition}`}
          columns={[
            { name: 'Group', cell: ({ group }) => group },
            { name: 'Partition', cell: ({ topic, partition }) => `${topic}/${partition}` },
            { name: 'Offset', cell: ({ offset }) => offset ?? '–' },
            { name: 'Reason', cell: ({ reason }) => reason },
            { name: 'Since', cell: ({ stopped_at }) => <Time at={stopped_at} /> },
          ]}
        />
      )}
    </Part>
  );
};

const Quarantine = () => {
  const query = useQuery({
    queryKey: ['operators', 'quarantine'],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/operators/quarantine')),
    refetchInterval: EVERY_MS,
  });
  return (
    <Part title="Quarantine" none="No records in quarantine" query={query}>
      {(rows) => (
        <DataTable
          label="Quarantine"
          rows={rows}
          keyOf={({ topic, partition, offset }) => `${topic} ${partition} ${offset}`}
          columns={[
            { name: 'Record', cell: ({ topic, partition, offset }) => `${topic}/${partition}/${offset}` },
            { name: 'Reason', cell: ({ reason }) => reason },
            { name: 'Found', cell: ({ found_at }) => <Time at={found_at} /> },
          ]}
        />
      )}
    </Part>
  );
};

export const OperatorsPage = () => {
  const { is_operator } = useMe();
  return (
    <Page title="Operators" about="Queues, workers, read models and accounts of this installation.">
      {is_operator ? (
        <>
          <Queues />
          <Workers />
          <ReadModels />
          <Partitions />
          <Quarantine />
          <Accounts />
        </>
      ) : (
        <EmptyList title="You are not an operator">Your identity provider decides who is an operator.</EmptyList>
      )}
    </Page>
  );
};
