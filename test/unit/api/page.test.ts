import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { type PositionedElement, readByQuery, readList, type List as StoredList } from '../../../read-models/lists.ts';
import { type List, openPageReader } from '../../../read-models/page.ts';
import type { PageRequest } from '../../../schemas/http/query.ts';

const readPage = openPageReader('a secret of the service, long enough');

const FIRST: PageRequest = { cursor: null, limit: 2, search: 'x', order: 'desc' };

const LIST = { endpoint: 'renders', scope: 'proj_1', status: null } as const;

const STORED: StoredList = {
  scope: 'proj_1',
  date: { field: 'by_project', prefix: 'proj_1' },
  own: {},
  shown: {},
};

const TOKENS = ['proj_1:!x', 'proj_1:=x', 'proj_1:x'];

/** A list whose search has three tiers of matches, over positions in memory, newest first. */
const listOver = (tiers: readonly (readonly string[])[], counts: number[][] = []): List<string> => ({
  ...LIST,
  areSearchable: async () => true,
  read: (from, count) =>
    readList<string>(
      STORED,
      FIRST,
      from,
      count,
      readByQuery(async (pipeline) => {
        const { $match } = pipeline[0] ?? {};
        const tier = TOKENS.indexOf($match.search);
        const wanted = pipeline.find((stage) => '$limit' in stage)?.$limit;
        counts[tier] = [...(counts[tier] ?? []), wanted];
        return (tiers[tier] ?? [])
          .toSorted()
          .toReversed()
          .filter((position) => $match.position.$lt === '9' || position < $match.position.$lt)
          .slice(0, wanted)
          .map((position) => ({ position, element: position }));
      }),
    ),
});

const pagesOf = async (list: List<string>, limit: number): Promise<readonly (readonly string[])[]> => {
  const pages: (readonly string[])[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof readPage<string>>> = await readPage(list, { ...FIRST, cursor, limit });
    if (E.isLeft(page)) throw new Error(page.left.message);
    pages.push(page.right.elements);
    cursor = page.right.next_cursor;
    if (cursor === null) return pages;
  }
};

test('pages of any size form the whole list, and only the last is short', async (t) => {
  const position = fc.integer({ min: 1, max: 99 }).map((n) => String(n).padStart(3, '0'));
  const tiers = fc.array(fc.uniqueArray(position, { maxLength: 12 }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(tiers, fc.integer({ min: 1, max: 9 }), async (held, limit) => {
      const pages = await pagesOf(listOver(held), limit);
      t.deepEqual(
        pages.flat(),
        held.flatMap((positions) => positions.toSorted().toReversed()),
      );
      for (const page of pages.slice(0, -1)) t.is(page.length, limit);
      t.true(pages.length === 1 || (pages.at(-1)?.length ?? 0) > 0);
    }),
  );
});

test('a page reads the next tier of a search only if rows are missing', async (t) => {
  const counts: number[][] = [];
  const list = listOver([['003', '002', '001'], ['009'], []], counts);
  await readPage(list, FIRST);
  t.deepEqual(counts, [[3]]);
  await readPage(list, { ...FIRST, limit: 3 });
  t.deepEqual(counts, [[3, 4], [1]]);
});

test('a forged cursor is refused before any read', async (t) => {
  const counts: number[][] = [];
  const refused = await readPage(listOver([['001']], counts), { ...FIRST, cursor: 'AQAx', limit: 1 });
  t.deepEqual(
    refused,
    E.left({
      ...{ tag: 'invalid', code: 'invalid_cursor', param: 'cursor' },
      message: 'cursor: is not valid for this list; start again from the first page',
    } as const),
  );
  t.deepEqual(counts, []);
});

test('a cursor of a search ignores order and spelling', async (t) => {
  const cursorOf = async (search: string | null, order: 'asc' | 'desc'): Promise<string | null> => {
    const found: readonly PositionedElement<string>[] = ['2', '1'].map((position) => ({
      tier: 0,
      position,
      element: position,
    }));
    const list = { ...LIST, areSearchable: async () => true, read: async () => found };
    const page = await readPage(list, { cursor: null, limit: 1, search, order });
    return E.isRight(page) ? page.right.next_cursor : null;
  };
  t.is(await cursorOf('SALE', 'asc'), await cursorOf(' sale!', 'desc'));
  t.not(await cursorOf('sale', 'asc'), await cursorOf('sal', 'asc'));
  t.not(await cursorOf(null, 'asc'), await cursorOf(null, 'desc'));
  t.not(await cursorOf('!', 'desc'), await cursorOf(null, 'desc'));
});

test('names that are not prepared for search are listed but not found', async (t) => {
  const list = (areSearchable: boolean): List<string> => ({
    ...listOver([['001']]),
    areSearchable: async () => areSearchable,
  });
  t.true(E.isRight(await readPage(list(false), { ...FIRST, search: null })));
  t.true(E.isRight(await readPage(list(true), FIRST)));
  t.deepEqual(
    await readPage(list(false), FIRST),
    E.left({
      ...{ tag: 'unavailable', param: 'search' },
      message: 'search: is not available yet, because names are still being indexed; omit it, or try again later',
      retry_after_s: 5,
    } as const),
  );
});
