import { useQueries } from '@tanstack/react-query';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { useRefetchInterval } from '../live/use-changes.ts';
import { isFinal, REFETCH_MS } from '../renders/statuses.ts';

export type RowRender = Schemas['ListedRender'];

/** The size of one request, and how long it waits for the reads of other rows. */
const MAX_IDS = 60;
const COLLECTED_MS = 20;

type Load = (render_id: string) => Promise<RowRender | null>;

const openLoader = (team_id: string): Load => {
  let collected: Map<string, ((found: Promise<RowRender | null>) => void)[]> | null = null;
  const readAll = (): void => {
    const waiting = [...(collected ?? [])];
    collected = null;
    for (let start = 0; start < waiting.length; start += MAX_IDS) {
      const part = waiting.slice(start, start + MAX_IDS);
      const ids = part.map(([id]) => id).join(',');
      const found = unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/renders/batch', { params: { path: { team_id }, query: { ids } } }),
      );
      for (const [id, resolves] of part)
        for (const resolve of resolves)
          resolve(found.then(({ data }) => data.find((render) => render.id === id) ?? null));
    }
  };
  return (render_id) =>
    new Promise((resolve) => {
      if (collected === null) {
        collected = new Map();
        window.setTimeout(readAll, COLLECTED_MS);
      }
      collected.set(render_id, [...(collected.get(render_id) ?? []), resolve]);
    });
};

const loaders = new Map<string, Load>();

const loaderOf = (team_id: string): Load => {
  const known = loaders.get(team_id) ?? openLoader(team_id);
  loaders.set(team_id, known);
  return known;
};

const isOver = (render: RowRender | null | undefined): boolean =>
  render !== undefined && render !== null && isFinal(render.status);

type Found = { readonly data: RowRender | null | undefined };

const byId = (results: readonly Found[]): ReadonlyMap<string, RowRender> =>
  new Map(results.flatMap(({ data }) => (data === undefined || data === null ? [] : [[data.id, data]])));

/** The renders of the rows, by ID. The stream of changes names those that changed, and one request reads them. */
export const useRowRenders = (team_id: string, render_ids: readonly string[]): ReadonlyMap<string, RowRender> => {
  const refetch_ms = useRefetchInterval(REFETCH_MS);
  return useQueries({
    queries: render_ids.map((render_id) => ({
      queryKey: ['render', render_id, 'row'],
      queryFn: () => loaderOf(team_id)(render_id),
      enabled: ({ state }: { readonly state: Found }) => !isOver(state.data),
      refetchInterval: refetch_ms,
    })),
    combine: byId,
  });
};
