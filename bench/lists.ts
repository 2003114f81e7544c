import { createHmac } from 'node:crypto';
import type { Document } from 'mongodb';
import type { Seeded } from '../demo/seeded.ts';
import { tiersOf } from '../read-models/lists.ts';
import { servingRenders } from '../read-models/renders/model.ts';
import { projectRenders } from '../read-models/renders/query-fields.ts';
import { encodeCursor, type ListIdentity } from '../schemas/http/cursor.ts';
import type { Stack } from '../stack/launcher.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { type Explained, explained } from './explained.ts';
import { type Figure, ms, quantile } from './figures.ts';
import { type Filled, fillProject } from './filled-projects.ts';
import { PAGE_READ } from './store-reads.ts';

const SIZES = [1_000, 10_000];
const TIMES = 5;
const LIMIT = 20;

/** The start of a page: after an element of the list, or the beginning. */
type Page = { readonly title: string; readonly after: string | null };

const read = ({ index, keys, documents, sorts }: Explained): string =>
  `${index ?? 'no index'}, ${keys} keys and ${documents} documents examined, ${sorts ? 'sorts' : 'no sort'}`;

/** Lists of 1,000 and 10,000 renders: the time of a page, and the query plan of the store. */
export const benchLists = async (stack: Stack, seeded: Seeded, clients: StackClients): Promise<readonly Figure[]> => {
  const renders = (await servingRenders(clients.store.db)()).renders;
  const headers = { Authorization: `Bearer ${seeded.api_key}` };
  const url = `${stack.component('query-api').url}/v1/renders`;
  const secret = stack.env.CURSOR_SECRET ?? '';
  const mac = (bytes: Uint8Array) => createHmac('sha256', secret).update(bytes).digest();

  const timeOf = async (query: URLSearchParams): Promise<string> => {
    const times: number[] = [];
    let refused = 0;
    for (let n = 0; n < TIMES; n += 1) {
      const began = performance.now();
      const answer = await fetch(`${url}?${query}`, { headers });
      await answer.text();
      if (answer.status === 200) times.push(performance.now() - began);
      else refused += 1;
    }
    return `p50 ${ms(quantile(times, 0.5))}${refused === 0 ? '' : `, ${refused} of ${TIMES} refused`}`;
  };

  const explain = async (pipeline: Document[]): Promise<string> =>
    read(explained(await renders.aggregate(pipeline).explain('executionStats')));

  const pagesOf = async ({ project_id, ids }: Filled): Promise<readonly Figure[]> => {
    const list = projectRenders(project_id, null);
    const rows = renders.find({ project_id }, { projection: { position: 1 } });
    const positions = (await rows.toArray()).map(({ position }) => position ?? '').toSorted();
    const identity: ListIdentity = {
      endpoint: 'renders',
      scope: project_id,
      status: null,
      order: 'desc',
      search: null,
    };
    const pages: readonly Page[] = [
      { title: 'first', after: null },
      { title: 'middle', after: positions[Math.floor(positions.length / 2)] ?? null },
      { title: 'last', after: positions[LIMIT] ?? null },
    ];
    const figures: Figure[] = [];
    for (const { title, after } of pages) {
      const query = new URLSearchParams({ project_id, limit: String(LIMIT) });
      if (after !== null) query.set('cursor', encodeCursor(mac, identity, { tier: 0, position: after }));
      const time = await timeOf(query);
      const [byDate] = tiersOf(list, { order: 'desc', search: null });
      const how = byDate === undefined ? '' : await explain(byDate(after, PAGE_READ));
      figures.push([`${ids.length} renders, ${title} page`, `${time}\n${how}`, '']);
    }
    for (const [title, text] of [
      ['one word that all have', 'spring'],
      ['two words, of one render', `sale ${String(ids.length - 7).padStart(5, '0')}`],
      ['a word that none has', 'winter'],
    ] as const) {
      const time = await timeOf(new URLSearchParams({ project_id, limit: String(LIMIT), search: text }));
      const [, whole] = tiersOf(list, { order: 'desc', search: text });
      const how = whole === undefined ? '' : await explain(whole(null, PAGE_READ));
      figures.push([`${ids.length} renders, search for ${title}`, `${time}\n${how}`, '']);
    }
    return figures;
  };

  const figures: Figure[] = [];
  for (const size of SIZES) {
    const began = performance.now();
    const filled = await fillProject(clients, seeded, size, false);
    const took_s = (performance.now() - began) / 1_000;
    figures.push([`${size} renders, requested and folded`, `${took_s.toFixed(1)} s`, '']);
    figures.push(...(await pagesOf(filled)));
  }
  const note = `the embedded store sorts all that match;\na server that reads its index in order: ${PAGE_READ} keys, no sort`;
  return [...figures, ['note on the lists (of a search: its second tier)', note, '']];
};
