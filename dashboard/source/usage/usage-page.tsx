import { Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import type { People } from '../people/people.ts';
import { usePeople } from '../people/people.ts';
import { authorText } from '../people/person-text.ts';
import { useAccount } from '../session/me.ts';
import { CsvDownload } from '../shown/csv-download.tsx';
import { EmptyList } from '../shown/empty.tsx';
import { LoadedData } from '../shown/loaded.tsx';
import { NoMatch } from '../shown/no-match.tsx';
import { Page } from '../shown/page.tsx';
import { Pager, pageQuery, usePagePosition } from '../shown/pages.tsx';
import { NO_PERIOD, PeriodChoice, periodQuery } from '../shown/period.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';

type Line = Schemas['StatementLine'];

const COLUMNS = [
  ...['at', 'type', 'credits', 'balance', 'grant_id', 'granted_by', 'render_id', 'render_name', 'project_id'],
] as const;

const what = ({ type, grant_id, granted_by, render_name, render_id }: Line, people: People): string =>
  type === 'grant'
    ? `${grant_id}, by ${granted_by === null ? 'unknown' : authorText(people, granted_by)}`
    : (render_name ?? `${render_id ?? 'a render'} (erased)`);

export const UsagePage = ({ account_id }: { readonly account_id: string }) => {
  const account = useAccount(account_id);
  const people = usePeople();
  const [period, setPeriod] = useState(NO_PERIOD);
  const place = usePagePosition(JSON.stringify([account_id, period]));
  const read = (cursor: string | null, limit?: number) =>
    unwrapAnswer(
      api.GET('/manage/v1/accounts/{account_id}/usage', {
        params: { path: { account_id }, query: { ...pageQuery(cursor, limit), ...periodQuery(period) } },
      }),
    );
  const { data, error, refetch } = useQuery({
    queryKey: ['usage', account_id, period, place.cursor],
    queryFn: () => read(place.cursor),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Usage"
      about={`Credit grants and charges of ${account?.name ?? 'the account'}, oldest first. A render is charged when it is complete.`}
    >
      <Group align="flex-end" gap="sm">
        <PeriodChoice period={period} choose={setPeriod} />
        <CsvDownload
          file_name={`usage-${account_id}.csv`}
          columns={COLUMNS}
          read={(cursor) => read(cursor, 100)}
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
                    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                      {what(line, people)}
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
      <Pager place={place} next={data?.next_cursor ?? null} first="Earlier" then="Later" />
    </Page>
  );
};
