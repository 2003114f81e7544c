import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { useRefetchInterval } from '../live/use-changes.ts';
import { NewVideoOfTeam } from '../new-video/new-video-button.tsx';
import { useTeam } from '../session/me.ts';
import { CsvDownload } from '../shown/csv-download.tsx';
import { EmptyList } from '../shown/empty.tsx';
import { LoadedData } from '../shown/loaded.tsx';
import { NoMatch } from '../shown/no-match.tsx';
import { Page } from '../shown/page.tsx';
import { Pager, pageQuery, usePagePosition } from '../shown/pages.tsx';
import { periodQuery } from '../shown/period.tsx';
import { CopyableText } from '../shown/secret.tsx';
import { FilmCards } from './film-cards.tsx';
import { isFiltered, type RenderFilter, RenderFilters, useRenderFilter } from './render-filters.tsx';
import { RendersTable } from './renders-table.tsx';
import { SelectedRenders } from './selected-renders.tsx';
import { isFinal, REFETCH_MS } from './statuses.ts';
import { ViewChoice } from './view-choice.tsx';

const first = (team_id: string): string =>
  `curl -X POST ${window.location.origin}/v1/renders \\
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -d '{"project_id": "PROJECT", "name": "My first render"}'
# Create a key of ${team_id} under "API keys".`;

const IDLE_REFETCH_MS = 10_000;
const CSV_PAGE = 60;

const readRenders = (
  team_id: string,
  filter: RenderFilter,
  cursor: string | null,
  limit?: number,
): Promise<Schemas['RenderPage']> => {
  const { project_id, template_id, status, period } = filter;
  const search = filter.search.trim();
  const query = {
    ...{ ...pageQuery(cursor, limit), ...periodQuery(period) },
    ...{ ...(status !== null && { status }), ...(search !== '' && { search }) },
    ...(template_id !== null && { template_id }),
  };
  if (project_id === null)
    return unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/renders', { params: { path: { team_id }, query } }));
  return unwrapAnswer(
    api.GET('/manage/v1/teams/{team_id}/projects/{project_id}/renders', {
      params: { path: { team_id, project_id }, query },
    }),
  );
};

const COLUMNS = ['id', 'name', 'project', 'status', 'failure', 'created_at'] as const;

const csvRow = (render: Schemas['ListedRender']): Readonly<Record<(typeof COLUMNS)[number], string | null>> => {
  const { id, name, project_name: project, status, failed_as: failure, created_at } = render;
  return { id, name, project, status, failure, created_at: new Date(created_at).toISOString() };
};

export const RendersPage = ({ team_id }: { readonly team_id: string }) => {
  const team = useTeam(team_id);
  const form = useRenderFilter();
  const [settled] = useDebouncedValue(form.filter.search, 250);
  const filter = { ...form.filter, search: settled };
  const list = JSON.stringify([team_id, filter]);
  const place = usePagePosition(list);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [refetch_ms, idle_ms] = [useRefetchInterval(REFETCH_MS), useRefetchInterval(IDLE_REFETCH_MS)];
  const { data, error, refetch } = useQuery({
    queryKey: ['renders', team_id, filter, place.cursor],
    queryFn: () => readRenders(team_id, filter, place.cursor),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.some((one) => !isFinal(one.status)) === true ? refetch_ms : idle_ms,
  });
  const selected = (data?.data ?? []).filter(({ id }) => chosen.has(id));
  const clear_selection = () => setChosen(new Set());
  return (
    <Page
      title="Renders"
      help="create"
      about={`Renders of ${team?.name ?? 'the team'}, newest first.`}
      actions={
        <>
          <CsvDownload
            file_name="renders.csv"
            columns={COLUMNS}
            read={(cursor) => readRenders(team_id, filter, cursor, CSV_PAGE)}
            rowOf={csvRow}
          />
          <NewVideoOfTeam team_id={team_id} project_id={filter.project_id} />
        </>
      }
    >
      <RenderFilters team_id={team_id} {...form} />
      <ViewChoice view={form.view} choose={(view) => form.set({ view: view === 'cards' ? view : '' })} />
      {selected.length === 0 || form.view === 'cards' ? null : (
        <SelectedRenders team_id={team_id} renders={selected} clear={clear_selection} />
      )}
      <LoadedData data={data} error={error} retry={refetch}>
        {(page) => {
          if (page.data.length > 0 || page.next_cursor !== null)
            return form.view === 'cards' ? (
              <FilmCards team_id={team_id} renders={page.data} />
            ) : (
              <RendersTable team_id={team_id} renders={page.data} selection={{ chosen, choose: setChosen }} />
            );
          if (isFiltered(filter)) return <NoMatch what="renders" clear={form.clear} />;
          return (
            <EmptyList title="No renders yet">
              <CopyableText label="Create your first render with an API key" text={first(team_id)} />
            </EmptyList>
          );
        }}
      </LoadedData>
      <Pager place={place} next={data?.next_cursor ?? null} />
    </Page>
  );
};
