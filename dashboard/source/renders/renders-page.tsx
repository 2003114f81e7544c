import { Anchor, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { useRefetchInterval } from '../live/use-changes.ts';
import { useTeam } from '../session/me.ts';
import { EmptyList } from '../shown/empty.tsx';
import { LoadedData } from '../shown/loaded.tsx';
import { NoMatch } from '../shown/no-match.tsx';
import { Page } from '../shown/page.tsx';
import { Pager, pageQuery, usePagePosition } from '../shown/pages.tsx';
import { DataTable } from '../shown/rows.tsx';
import { CopyableText } from '../shown/secret.tsx';
import { ThumbnailImage } from '../shown/still.tsx';
import { Time } from '../shown/time.tsx';
import { codeText } from './failure-text.ts';
import { RenderState } from './render-state.tsx';
import { isFinal, REFETCH_MS, STATUSES, type Status } from './statuses.ts';

const asStatus = (text: string | null): Status | null => STATUSES.find((status) => status === text) ?? null;

/** Offers the newest hundred projects, and those that match the typed text. */
const ProjectSelect = (props: {
  readonly team_id: string;
  readonly chosen: string | null;
  readonly choose: (project_id: string | null) => void;
}) => {
  const { team_id, chosen, choose } = props;
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 250);
  const { data } = useQuery({
    queryKey: ['projects', team_id, search],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/projects', {
          params: { path: { team_id }, query: { limit: 100, ...(search.trim() !== '' && { search: search.trim() }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const options = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const shown =
    chosen === null || options.some(({ value }) => value === chosen)
      ? options
      : [{ value: chosen, label: chosen }, ...options];
  return (
    <Select
      label="Project"
      placeholder="All projects"
      data={shown}
      value={chosen}
      onChange={choose}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'All projects' }}
      onSearchChange={(text) => setTyped(shown.some(({ label }) => label === text) ? '' : text)}
      filter={({ options: all }) => all}
      nothingFoundMessage="No matching projects"
    />
  );
};

const first = (team_id: string): string =>
  `curl -X POST ${window.location.origin}/v1/renders \\
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -d '{"project_id": "PROJECT", "name": "My first render"}'
# Create a key of ${team_id} under "API keys".`;

export const RendersPage = ({ team_id }: { readonly team_id: string }) => {
  const team = useTeam(team_id);
  const [query, setQuery] = useSearchParams();
  const project_id = query.get('project');
  const status = asStatus(query.get('status'));
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(project_id === null ? '' : typed.trim(), 250);
  const place = usePagePosition(JSON.stringify([team_id, project_id, status, search]));
  const set = (name: string, value: string | null) =>
    setQuery(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === null) after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  const filter = { ...pageQuery(place.cursor), ...(status !== null && { status }) };
  const [refetch_ms, idle_ms] = [useRefetchInterval(REFETCH_MS), useRefetchInterval(10_000)];
  const renders = useQuery({
    queryKey: ['renders', team_id, project_id, status, search, place.cursor],
    queryFn: () =>
      project_id === null
        ? unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/renders', { params: { path: { team_id }, query: filter } }))
        : unwrapAnswer(
            api.GET('/manage/v1/teams/{team_id}/projects/{project_id}/renders', {
              params: { path: { team_id, project_id }, query: { ...filter, ...(search !== '' && { search }) } },
            }),
          ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.data.some((one) => !isFinal(one.status)) === true ? refetch_ms : idle_ms,
  });
  const { data, error, refetch } = renders;
  const clear = () => {
    setQuery({}, { replace: true });
    setTyped('');
  };
  const filtered = project_id !== null || status !== null || search !== '';
  return (
    <Page title="Renders" about={`Renders of ${team?.name ?? 'the team'}, newest first.`}>
      <Group align="flex-end" grow preventGrowOverflow={false} gap="sm">
        <ProjectSelect team_id={team_id} chosen={project_id} choose={(id) => set('project', id)} />
        <Select
          label="Status"
          placeholder="All statuses"
          data={STATUSES.slice()}
          value={status}
          onChange={(value) => set('status', value)}
          clearable
          clearButtonProps={{ 'aria-label': 'All statuses' }}
        />
        <TextInput
          label="Search by name"
          placeholder={project_id === null ? 'Choose a project first' : 'spring oslo'}
          disabled={project_id === null}
          value={typed}
          maxLength={200}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </Group>
      <LoadedData data={data} error={error} retry={refetch}>
        {(page) =>
          page.data.length === 0 && !page.has_more ? (
            filtered ? (
              <NoMatch what="renders" clear={clear} />
            ) : (
              <EmptyList title="No renders yet">
                <CopyableText label="Create your first render with an API key" text={first(team_id)} />
              </EmptyList>
            )
          ) : (
            <DataTable
              label="Renders"
              rows={page.data}
              keyOf={({ id }) => id}
              columns={[
                { name: 'Preview', cell: ({ poster_url }) => <ThumbnailImage url={poster_url} /> },
                {
                  name: 'Name',
                  cell: ({ id, name }) => (
                    <Anchor
                      component={Link}
                      href={`/teams/${team_id}/renders/${id}`}
                      style={{ overflowWrap: 'anywhere' }}
                    >
                      {name}
                    </Anchor>
                  ),
                },
                { name: 'Status', cell: (render) => <RenderState render={render} /> },
                {
                  name: 'Failure',
                  cell: ({ failed_as }) =>
                    failed_as === null || failed_as === 'cancelled' ? '–' : codeText(failed_as),
                },
                { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
              ]}
            />
          )
        }
      </LoadedData>
      <Pager place={place} next={data?.next_cursor ?? null} />
    </Page>
  );
};
