import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import type { Collection } from 'mongodb';
import type { RenderStatus } from '../../../domain/render/render.ts';
import { nameKey, searchTokens, searchWordsOf } from '../../../domain/search/words.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { positionReader, readInWindows } from '../../../read-models/embedded/read-in-windows.ts';
import { type SkipLevel, skipKey, skipToken } from '../../../read-models/embedded/skip-list.ts';
import { readByQuery, readList } from '../../../read-models/lists.ts';
import { type List, openPageReader, type Page } from '../../../read-models/page.ts';
import { listPosition } from '../../../read-models/position.ts';
import { projectRenders } from '../../../read-models/renders/query-fields.ts';
import type { ListOrder } from '../../../schemas/http/query.ts';
import { runs } from '../../helpers/runs.ts';
import { groundOf, openStore, ownDatabase, type StoreServer, startStore } from './_store.ts';

/** Random lists and searches, read page by page with the query API's queries, compared with a model without a store. */
const RUNS = runs(100);
const REQUESTS_PER_RUN = 6;

type Listed = {
  readonly _id: string;
  readonly project_id: string;
  readonly status: RenderStatus;
  readonly name: string;
  readonly created_at: number;
  /**
   * The element's level in the skip lists. It is random and does not depend on the id, so that even a short list has
   * several levels.
   */
  readonly level: 0 | SkipLevel;
};

type Wanted = {
  readonly project_id: string;
  readonly status: RenderStatus | null;
  readonly order: ListOrder;
  readonly search: string | null;
  readonly limit: number;
  readonly in_windows: boolean;
};

type Row = {
  readonly _id: string;
  readonly project_id: string;
  readonly status: RenderStatus;
  readonly position: string;
  readonly by_project: string;
  readonly by_project_status: string;
  readonly by_project_skip?: string;
  readonly by_project_status_skip?: string;
  readonly search: readonly string[];
};

/** Some ids are prefixes of others, and the strings of the last lie between those of the first. */
const PROJECTS = ['proj_1', 'proj_10', 'proj_1z', 'proj_1:0'];
const STATUSES: readonly RenderStatus[] = ['ready', 'complete', 'failed'];
const WORDS = ['sale', 'Sale', 'sales', 's', 'sum', 'été', '夏', '夏の', '4', '😀', 'ß', 'ss'];
const BEGINNINGS = ['sa', 's', 'sal', '夏', 'ete', '?', 'sale s', 's sa'];

const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));

const listed: fc.Arbitrary<readonly Listed[]> = fc
  .array(
    fc.record({
      // Mostly one project, so that it has several pages.
      project_id: fc.constantFrom('proj_1', 'proj_1', 'proj_1', ...PROJECTS),
      status: fc.constantFrom(...STATUSES),
      name: text,
      // Few enough to share a millisecond; with and without a leading zero in 13 digits.
      created_at: fc.oneof(
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 1_763_700_000_000, max: 1_763_700_000_004 }),
      ),
      level: fc.constantFrom(0 as const, 0 as const, 1 as const, 1 as const, 2 as const, 3 as const),
    }),
    { minLength: 10, maxLength: 45 },
  )
  .map((renders) => renders.map((render, i) => ({ _id: `rend_${(i * 7) % 45}_${i}`, ...render })));

const wanted: fc.Arbitrary<Wanted> = fc.record({
  project_id: fc.constantFrom('proj_1', 'proj_1', 'proj_1', 'proj_10', 'proj_'),
  status: fc.constantFrom(null, null, null, ...STATUSES),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  search: fc.oneof(fc.constant(null), text, fc.constantFrom(...BEGINNINGS)),
  limit: fc.integer({ min: 1, max: 8 }),
  in_windows: fc.boolean(),
});

const relevance = (name: string, search: string): number | null => {
  const [asked, has] = [searchWordsOf(search), searchWordsOf(name)];
  if (asked.length === 0) return null;
  if (nameKey(name) === nameKey(search)) return 0;
  if (asked.every((word) => has.includes(word))) return 1;
  return asked.every((word) => has.some((own) => own.startsWith(word))) ? 2 : null;
};

const byPosition = (a: Listed, b: Listed): number =>
  a.created_at - b.created_at || Buffer.compare(Buffer.from(a._id), Buffer.from(b._id));

const modelOf = (renders: readonly Listed[], { project_id, status, order, search }: Wanted): readonly string[] => {
  const own = renders.filter((one) => one.project_id === project_id && (status === null || one.status === status));
  const ascending = own.toSorted(byPosition);
  if (search === null) return (order === 'asc' ? ascending : ascending.toReversed()).map(({ _id }) => _id);
  const newest = ascending.toReversed();
  return [0, 1, 2].flatMap((tier) =>
    newest.filter(({ name }) => relevance(name, search) === tier).map(({ _id }) => _id),
  );
};

const rowOf = ({ _id, project_id, status, name, created_at, level }: Listed): Row => {
  const position = listPosition(created_at, _id);
  const tokens = searchTokens(project_id, name);
  return {
    _id,
    project_id,
    status,
    position,
    by_project: `${project_id}:${position}`,
    by_project_status: `${project_id}:${status}:${position}`,
    ...(level === 0
      ? {}
      : {
          by_project_skip: skipKey(project_id, level, created_at, _id),
          by_project_status_skip: skipKey(`${project_id}:${status}`, level, created_at, _id),
        }),
    search: level === 0 ? tokens : [...tokens, ...tokens.map((token) => skipToken(project_id, token, level))],
  };
};

const readPage = openPageReader('a secret of these tests alone, 32+');

const readAll = async (rows: Collection<Row>, request: Wanted): Promise<readonly string[]> => {
  const { project_id, status, limit, in_windows } = request;
  const list: List<string> = {
    ...{ endpoint: 'renders', scope: project_id, status },
    areSearchable: async () => true,
    read: (from, count) =>
      readList<string>(
        { ...projectRenders(project_id, { status, template_id: null }), shown: { position: 1 } },
        request,
        from,
        count,
        readTier,
      ),
  };
  const plain = readByQuery<string>(async (pipeline, time) => {
    const found = await rows.aggregate<Pick<Row, '_id' | 'position'>>(pipeline, time).toArray();
    return found.map(({ _id, position }) => ({ position, element: _id }));
  });
  const readTier = in_windows ? readInWindows(plain, positionReader(rows)) : plain;
  const ids: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page: E.Either<unknown, Page<string>> = await readPage(list, { ...request, cursor });
    if (E.isLeft(page)) throw new Error(`a page was refused: ${JSON.stringify(page.left)}`);
    const { elements } = page.right;
    const next_cursor: string | null = page.right.next_cursor;
    if (elements.length > limit || (next_cursor !== null && elements.length < limit))
      throw new Error(`a page of ${limit} holds ${elements.length}`);
    ids.push(...elements);
    if (next_cursor === null) return ids;
    cursor = next_cursor;
  }
};

let server: StoreServer;
let store: ReadStore;

test.before(async (t) => {
  t.timeout(360_000);
  server = await startStore();
  store = await openStore(server.url, ownDatabase());
});

test.after.always(async () => {
  await store?.db.dropDatabase();
  await store?.close();
  await server?.stop();
});

test.serial('pages of lists and searches equal the model, in its order', async (t) => {
  t.timeout(360_000);
  const indexes = [
    { key: { by_project: 1 as const } },
    { key: { by_project_status: 1 as const } },
    { key: { by_project_skip: 1 as const }, sparse: true },
    { key: { by_project_status_skip: 1 as const }, sparse: true },
    { key: { search: 1 as const, position: 1 as const } },
  ];
  let read = 0;
  await fc.assert(
    fc.asyncProperty(
      listed,
      fc.array(wanted, { minLength: 1, maxLength: REQUESTS_PER_RUN }),
      async (renders, requests) => {
        const { things } = await groundOf(store, { documents: renders.map(rowOf), indexes });
        const rows = store.db.collection<Row>(things.collectionName);
        for (const request of requests) {
          const got = await readAll(rows, request);
          read += got.length;
          const expected = modelOf(renders, request);
          if (!isDeepStrictEqual(got, expected))
            throw new Error(`${JSON.stringify(request)}: expected ${expected.join(' ')}, got ${got.join(' ')}`);
        }
        await rows.drop();
      },
    ),
    { numRuns: RUNS, includeErrorInReport: true },
  );
  t.true(read > 0, 'the search found elements');
});
