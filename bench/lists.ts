import { createHmac } from 'node:crypto';
import type { SeededEntities } from '../demo/seeded.ts';
import { type RenderStatus, STATUSES } from '../domain/render/render.ts';
import { searchTerms } from '../domain/search/words.ts';
import { embeddedServerCheck } from '../read-models/embedded/server.ts';
import { restOfList } from '../read-models/list-part.ts';
import { type ListTier, listTiersOf, pagePipeline } from '../read-models/lists.ts';
import { servingRenders } from '../read-models/renders/model.ts';
import { projectRenders } from '../read-models/renders/query-fields.ts';
import { encodeCursor, type ListIdentity } from '../schemas/http/cursor.ts';
import type { Stack } from '../stack/launcher.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { executionStatsOf, type QueryExecutionStats } from './explained.ts';
import { type BenchmarkResult, millisecondsText, quantile } from './figures.ts';
import { type FilledProject, fillProject } from './filled-projects.ts';
import { PAGE_READ_COUNT } from './store-reads.ts';

const TIMES = 5;
const LIMIT = 20;
/**
 * The number of positions in the list at which pages are measured. If lists are read in windows, the cost of a page
 * depends on its position.
 */
const PLACES = 20;
/** Every n-th render is completed. */
const COMPLETE_EACH = 20;

const read = ({ index, keys, documents, sorts }: QueryExecutionStats): string =>
  `${index ?? 'no index'}, ${keys} keys and ${documents} documents examined, ${sorts ? 'sorts' : 'no sort'}`;

type Endpoint = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Runs one query several times, or many queries once each. */
const timeOf = async ({ url, headers }: Endpoint, queries: readonly URLSearchParams[]): Promise<string> => {
  const times: number[] = [];
  let refused = 0;
  for (let n = 0; n < Math.max(TIMES, queries.length); n += 1) {
    const began = performance.now();
    const answer = await fetch(`${url}?${queries[n % queries.length]}`, { headers });
    await answer.text();
    if (answer.status === 200) times.push(performance.now() - began);
    else refused += 1;
  }
  const longest = queries.length > 1 ? `, at most ${millisecondsText(Math.max(...times))}` : '';
  return `p50 ${millisecondsText(quantile(times, 0.5))}${longest}${refused === 0 ? '' : `, ${refused} refused`}`;
};

/**
 * Measures a page of renders. Adds the query plan where the store reads the page with one query (not on the embedded
 * server).
 */
const benchListsOf =
  (sizes: readonly number[]) =>
  async (stack: Stack, seeded: SeededEntities, clients: StackClients): Promise<readonly BenchmarkResult[]> => {
    const renders = (await servingRenders(clients.store.db)()).renders;
    const in_windows = await embeddedServerCheck(clients.store.db)();
    const endpoint: Endpoint = {
      url: `${stack.component('query-api').url}/v1/renders`,
      headers: { Authorization: `Bearer ${seeded.api_key}` },
    };
    const secret = stack.env.CURSOR_SECRET ?? '';
    const mac = (bytes: Uint8Array) => createHmac('sha256', secret).update(bytes).digest();

    const plan = async (tier: ListTier | undefined): Promise<string> => {
      if (in_windows || tier === undefined) return '';
      const pipeline = pagePipeline(tier, restOfList(null), PAGE_READ_COUNT);
      return `\n${read(executionStatsOf(await renders.aggregate(pipeline).explain('executionStats')))}`;
    };

    const pagesOf = async ({ project_id, ids }: FilledProject): Promise<readonly BenchmarkResult[]> => {
      const rows = renders.find({ project_id }, { projection: { position: 1 } });
      const positions = (await rows.toArray()).map(({ position }) => position ?? '').toSorted();
      const page = (status: RenderStatus | null, at: number | null, search: string | null = null, tier = 0) => {
        const query = new URLSearchParams({ project_id, limit: String(LIMIT) });
        if (status !== null) query.set('status', status);
        if (search !== null) query.set('search', search);
        const order = search === null ? 'desc' : null;
        const folded = search === null ? null : (searchTerms(project_id, search)?.exact ?? '');
        const identity: ListIdentity = { endpoint: 'renders', scope: project_id, status, order, search: folded };
        const position = positions[at ?? -1];
        if (position !== undefined) query.set('cursor', encodeCursor(mac, identity, { tier, position }));
        return query;
      };
      const places = Array.from({ length: PLACES }, (_, n) => Math.floor((ids.length * (n + 1)) / (PLACES + 1)));
      const figures: BenchmarkResult[] = [];
      const measure = async (what: string, queries: readonly URLSearchParams[], plan_of = ''): Promise<void> =>
        void figures.push([`${ids.length} renders, ${what}`, `${await timeOf(endpoint, queries)}${plan_of}`, '']);

      const list = projectRenders(project_id, { status: null, template_id: null });
      const [byDate] = listTiersOf(list, { order: 'desc', search: null });
      await measure('first page', [page(null, null)], await plan(byDate));
      await measure(
        `pages at ${PLACES} places`,
        places.map((at) => page(null, at)),
      );
      await measure('last page', [page(null, LIMIT)]);
      for (const status of STATUSES) await measure(`first page of ${status}`, [page(status, null)]);
      await measure(
        `pages of complete at ${PLACES} places`,
        places.map((at) => page('complete', at)),
      );
      for (const [title, text] of [
        ['one word that all have', 'spring'],
        ['two words that all have', 'spring sale'],
        ['the beginning of a word that all have', 'spri'],
        ['two words, of one render', `sale ${String(ids.length - 7).padStart(5, '0')}`],
        ['a word that none has', 'winter'],
      ] as const) {
        const [, whole] = listTiersOf(list, { order: 'desc', search: text });
        const how = await plan(whole);
        await measure(`search for ${title}`, [page(null, null, text)], how);
      }
      await measure(
        `search for one word that all have, pages at ${PLACES} places`,
        places.map((at) => page(null, at, 'spring', 1)),
      );
      await measure('search for one word that all have, last page', [page(null, LIMIT, 'spring', 1)]);
      return figures;
    };

    const figures: BenchmarkResult[] = [];
    for (const size of sizes) {
      const began = performance.now();
      const filled = await fillProject(clients, seeded, size, COMPLETE_EACH);
      const took_s = (performance.now() - began) / 1_000;
      figures.push([`${size} renders, requested and folded`, `${took_s.toFixed(1)} s`, '']);
      figures.push(...(await pagesOf(filled)));
    }
    const note = in_windows
      ? 'read in windows of a skip list, as the store sorts all that match'
      : `a server that reads its index in order: ${PAGE_READ_COUNT} keys, no sort (of a search: its second tier)`;
    return [...figures, ['note on the lists', note, '']];
  };

export const benchLists = benchListsOf([1_000, 10_000]);

export const benchLongLists = benchListsOf([10_000, 100_000]);
