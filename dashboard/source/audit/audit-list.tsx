import { Anchor, Autocomplete, Code, Group, Select, Stack, Switch, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../api/client.ts';
import { type People, usePeople } from '../people/people.ts';
import { Author, Person } from '../people/person.tsx';
import { authorOf, fullPersonText } from '../people/person-text.ts';
import { CsvDownload } from '../shown/csv-download.tsx';
import { wordsOf } from '../shown/first-upper.ts';
import { LoadedData } from '../shown/loaded.tsx';
import { NoMatch } from '../shown/no-match.tsx';
import { Pager, usePagePosition } from '../shown/pages.tsx';
import { NO_PERIOD, PeriodChoice, periodQuery } from '../shown/period.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';
import type { ElementNames } from './element-names.ts';
import { AUDIT_KINDS, type AuditKind, auditKindText, isAuditKind } from './kinds.ts';

type Entry = Schemas['AuditEntry'];

export type AuditQuery = {
  readonly limit: number;
  readonly cursor?: string;
  readonly since?: number;
  readonly until?: number;
  readonly actor?: string;
  readonly kind?: AuditKind;
  readonly with_renders: 'true' | 'false';
};

const PAGE = 25;
const MAX_ON_A_PAGE = 100;
const COLUMNS = [
  ...['at', 'actor', 'kind', 'refused', 'account_id', 'team_ids', 'ids', 'details'],
  ...['topic', 'partition', 'offset', 'event_id', 'actor_is_claimed'],
] as const;

const valueText = (value: unknown): string => (Array.isArray(value) ? value.join(' ') : String(value ?? 'none'));

const pairs = (named: object): string =>
  Object.entries(named)
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join('; ');

/** Times are in ms since the epoch. */
const isTime = (name: string, value: unknown): value is number =>
  typeof value === 'number' && /_(at|until)$/.test(name);

type Names = { readonly names: ElementNames };

/** An element by its name, with the ID in the tooltip. */
const Named = ({ id, names }: Names & { readonly id: string }) => {
  const name = names.get(id);
  return name === undefined ? id : <span title={id}>{name}</span>;
};

const Ids = ({ ids, names }: Names & { readonly ids: readonly string[] }) =>
  ids.map((id, index) => (
    <Fragment key={id}>
      {index === 0 ? '' : ', '}
      <Named id={id} names={names} />
    </Fragment>
  ));

const labelOf = (member: string): string => wordsOf(member.replace(/_ids?$/, ''));

const Line = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
    {labelOf(name)}: {children}
  </Text>
);

const What = ({ entry, names }: Names & { readonly entry: Entry }) => (
  <Stack gap={2}>
    {Object.entries(entry.ids).map(([name, value]) => (
      <Line key={name} name={name}>
        {name === 'user_id' && typeof value === 'string' ? (
          <Person user_id={value} />
        ) : name === 'render_id' && typeof value === 'string' && entry.team_ids[0] !== undefined ? (
          <Anchor component={Link} href={`/teams/${entry.team_ids[0]}/renders/${value}`} title={value} inherit>
            Open render
          </Anchor>
        ) : (
          <Ids ids={[value].flat().map(String)} names={names} />
        )}
      </Line>
    ))}
    {Object.entries(entry.details).map(([name, value]) => (
      <Line key={name} name={name}>
        {isTime(name, value) ? <Time at={value} /> : valueText(value)}
      </Line>
    ))}
  </Stack>
);

const useFilters = (people: People) => {
  const [kind, setKind] = useState<AuditKind | null>(null);
  const [typed, setTyped] = useState('');
  const [with_renders, setWithRenders] = useState(false);
  const [period, setPeriod] = useState(NO_PERIOD);
  const [actor] = useDebouncedValue(typed.trim(), 300);
  const query = {
    ...periodQuery(period),
    ...(kind !== null && { kind }),
    ...(actor !== '' && { actor: authorOf(people, actor) ?? actor }),
    with_renders: with_renders || kind === 'RenderRequested' ? 'true' : 'false',
  } as const;
  const inputs = (
    <>
      <Select
        label="Action"
        placeholder="All actions"
        data={AUDIT_KINDS.map((value) => ({ value, label: auditKindText(value) }))}
        value={kind}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'All actions' }}
        onChange={(value) => setKind(value !== null && isAuditKind(value) ? value : null)}
      />
      <Autocomplete
        label="Who"
        placeholder="ada@example.com"
        maxLength={200}
        data={[...new Set([...people.keys()].map((id) => fullPersonText(people, id)))]}
        limit={20}
        value={typed}
        onChange={setTyped}
      />
      <PeriodChoice period={period} choose={setPeriod} />
      <Switch
        label="Include render requests"
        checked={with_renders}
        onChange={({ currentTarget }) => setWithRenders(currentTarget.checked)}
      />
    </>
  );
  const clear = () => {
    setKind(null);
    setTyped('');
    setPeriod(NO_PERIOD);
  };
  return { query, inputs, clear };
};

/** @param of the id of the team or the account */
export const AuditList = (props: {
  readonly of: string;
  readonly names: ElementNames;
  readonly read: (query: AuditQuery) => Promise<Schemas['AuditPage']>;
}) => {
  const { of, names, read } = props;
  const people = usePeople();
  const { query, inputs, clear } = useFilters(people);
  const place = usePagePosition(JSON.stringify([of, query]));
  const readFrom = (cursor: string | null, limit: number) =>
    read({ ...query, limit, ...(cursor !== null && { cursor }) });
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', of, query, place.cursor],
    queryFn: () => readFrom(place.cursor, PAGE),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Group align="flex-end" gap="sm">
        {inputs}
        <CsvDownload
          file_name={`audit-${of}.csv`}
          columns={COLUMNS}
          read={(cursor) => readFrom(cursor, MAX_ON_A_PAGE)}
          rowOf={({ other_teams: _, at, team_ids, ids, details, ...entry }) => ({
            ...entry,
            at: new Date(at).toISOString(),
            actor_is_claimed: String(entry.actor.startsWith('operator:')),
            team_ids: team_ids.join(' '),
            ids: pairs(ids),
            details: pairs(details),
          })}
        />
      </Group>
      <LoadedData data={data} error={error} retry={refetch}>
        {(page) =>
          page.data.length === 0 && !page.has_more ? (
            <NoMatch what="changes" clear={clear} />
          ) : (
            <DataTable
              label="Audit"
              rows={page.data}
              keyOf={({ event_id }) => event_id}
              columns={[
                { name: 'Time', cell: ({ at }) => <Time at={at} /> },
                { name: 'Who', cell: ({ actor }) => <Author actor={actor} names={names} /> },
                {
                  name: 'Action',
                  cell: ({ kind, refused }) => (
                    <>
                      <Text size="sm">{auditKindText(kind)}</Text>
                      {refused === null ? null : <Text size="xs">Refused: {wordsOf(refused)}</Text>}
                    </>
                  ),
                },
                { name: 'Details', cell: (entry) => <What entry={entry} names={names} /> },
                {
                  name: 'Log record',
                  cell: ({ topic, partition, offset }) => <Code>{`${topic}/${partition}/${offset}`}</Code>,
                },
              ]}
            />
          )
        }
      </LoadedData>
      <Pager place={place} next={data?.next_cursor ?? null} />
    </>
  );
};
