import { Anchor, Group, Paper, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { creditsQuery, creditsText } from '../account/credits-query.ts';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { dayText, everyDay } from '../overview/statistics-days.ts';
import { accountStatisticsQuery } from '../overview/statistics-queries.ts';
import type { People } from '../people/people.ts';
import { usePeople } from '../people/people.ts';
import { authorText } from '../people/person-text.ts';
import { useAccount, useMe } from '../session/me.ts';
import { BarChart } from '../shown/bar-chart.tsx';
import { CsvDownload } from '../shown/csv-download.tsx';
import { DaysChoice, useDays } from '../shown/days.tsx';
import { EmptyList } from '../shown/empty.tsx';
import { ErrorMessage } from '../shown/fault.tsx';
import { LoadedData } from '../shown/loaded.tsx';
import { NoMatch } from '../shown/no-match.tsx';
import { Page } from '../shown/page.tsx';
import { Pager, pageQuery, usePagePosition } from '../shown/pages.tsx';
import { NO_PERIOD, PeriodChoice, periodQuery } from '../shown/period.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';

type Line = Schemas['StatementLine'];

const COLUMNS = [
  'at',
  'type',
  'credits',
  'balance',
  'grant_id',
  'granted_by',
  'render_id',
  'render_name',
  'project_id',
  'team_id',
] as const;

const What = ({ line, people }: { readonly line: Line; readonly people: People }) => {
  const { type, granted_by, render_name, render_id, team_id } = line;
  const { teams } = useMe();
  if (type === 'grant') return granted_by === null ? 'Credits granted' : `Granted by ${authorText(people, granted_by)}`;
  if (render_name === null || team_id === null) return `${render_name ?? 'A render'} (erased)`;
  const team = teams.find(({ id }) => id === team_id);
  return (
    <>
      <Anchor component={Link} href={`/teams/${team_id}/renders/${render_id}`} size="sm">
        {render_name}
      </Anchor>
      {team === undefined ? null : (
        <Text size="xs" c="dimmed">
          {team.name}
        </Text>
      )}
    </>
  );
};

const Balance = ({ account_id }: { readonly account_id: string }) => {
  const { data, error, refetch } = useQuery(creditsQuery(account_id));
  const shown =
    data === undefined ? '…' : data.unlimited || data.balance === null ? 'Unlimited' : creditsText(data.balance);
  return (
    <Paper withBorder p="md" w="fit-content" miw={220}>
      <ErrorMessage error={error} retry={refetch} />
      <Text size="sm" c="dimmed">
        Balance
      </Text>
      <Text fz={28} fw={650} className="figure">
        {shown}
      </Text>
      {data === undefined ? null : (
        <Text size="xs" c="dimmed">
          {creditsText(data.granted)} granted, {data.charged.toLocaleString()} charged, {data.reserved.toLocaleString()}{' '}
          reserved for renders in progress
        </Text>
      )}
    </Paper>
  );
};

const Charged = ({ account_id }: { readonly account_id: string }) => {
  const period = useDays();
  const { data, error, refetch } = useQuery({
    ...accountStatisticsQuery(account_id, period.days),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="sm">
      <Group justify="flex-end">
        <DaysChoice {...period} />
      </Group>
      <LoadedData data={data} error={error} retry={refetch}>
        {(statistics) => (
          <BarChart
            title="Credits charged by day (UTC)"
            rows={everyDay(statistics)}
            labelOf={dayText}
            series={[{ name: 'Credits', color: 'teal.7', value: ({ charged_credits }) => charged_credits }]}
          />
        )}
      </LoadedData>
    </Stack>
  );
};

export const UsagePage = ({ account_id }: { readonly account_id: string }) => {
  const account = useAccount(account_id);
  const people = usePeople();
  const [period, setPeriod] = useState(NO_PERIOD);
  const place = usePagePosition(JSON.stringify([account_id, period]));
  const read = (cursor: string | null, order: 'asc' | 'desc', limit?: number) =>
    unwrapAnswer(
      api.GET('/manage/v1/accounts/{account_id}/usage', {
        params: { path: { account_id }, query: { ...pageQuery(cursor, limit), ...periodQuery(period), order } },
      }),
    );
  const { data, error, refetch } = useQuery({
    queryKey: ['usage', account_id, period, place.cursor],
    queryFn: () => read(place.cursor, 'desc'),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Usage"
      about={`Credits of ${account?.name ?? 'the account'}, newest first. A render is charged when it is complete.`}
    >
      <Balance account_id={account_id} />
      <Charged account_id={account_id} />
      <Group align="flex-end" gap="sm">
        <PeriodChoice period={period} choose={setPeriod} />
        <CsvDownload
          file_name={`usage-${account_id}.csv`}
          columns={COLUMNS}
          read={(cursor) => read(cursor, 'asc', 100)}
          rowOf={(line) => ({ ...line, at: new Date(line.at).toISOString() })}
        />
      </Group>
      <LoadedData data={data} error={error} retry={refetch}>
        {(page) =>
          page.data.length === 0 && !page.has_more ? (
            period.from === '' && period.to === '' ? (
              <EmptyList title="No grants or charges yet">
                Operators grant credits. Complete renders are charged.
              </EmptyList>
            ) : (
              <NoMatch what="grants or charges" clear={() => setPeriod(NO_PERIOD)} />
            )
          ) : (
            <DataTable
              label="Statement"
              rows={page.data}
              keyOf={(line) => line.grant_id ?? line.render_id ?? String(line.at)}
              columns={[
                { name: 'Time', cell: ({ at }) => <Time at={at} /> },
                { name: 'Type', cell: ({ type }) => (type === 'grant' ? 'Grant' : 'Render') },
                {
                  name: 'Details',
                  cell: (line) => (
                    <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
                      <What line={line} people={people} />
                    </Text>
                  ),
                },
                { name: 'Credits', cell: ({ credits }) => `${credits > 0 ? '+' : ''}${credits.toLocaleString()}` },
                { name: 'Balance', cell: ({ balance }) => balance.toLocaleString() },
              ]}
            />
          )
        }
      </LoadedData>
      <Pager place={place} next={data?.next_cursor ?? null} />
    </Page>
  );
};
