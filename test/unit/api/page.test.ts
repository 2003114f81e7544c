import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { type List, openPageReader, type Tier } from '../../../query-api/lists/page.ts';

const readPage = openPageReader('a secret of the service, long enough');

/** A tier over positions that are held in memory, newest first. */
const tierOver =
  (positions: readonly string[], counts: number[] = []): Tier<string> =>
  async (after, count) => {
    counts.push(count);
    return positions
      .toSorted()
      .toReversed()
      .filter((position) => after === null || position < after)
      .slice(0, count)
      .map((position) => ({ position, element: position }));
  };

const listOver = (tiers: readonly Tier<string>[]): List<string> => ({
  identity: { endpoint: 'renders', scope: 'proj_1', status: null, order: null, search: 'x' },
  tiers,
});

const pagesOf = async (list: List<string>, limit: number): Promise<readonly (readonly string[])[]> => {
  const pages: (readonly string[])[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof readPage<string>>> = await readPage(list, { cursor, limit });
    if (E.isLeft(page)) throw new Error(page.left.message);
    pages.push(page.right.elements);
    cursor = page.right.next_cursor;
    if (cursor === null) return pages;
  }
};

test('the pages of any size are the whole list, tier after tier, and all but the last are full', async (t) => {
  const position = fc.integer({ min: 1, max: 99 }).map((n) => String(n).padStart(3, '0'));
  const tiers = fc.array(fc.uniqueArray(position, { maxLength: 12 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(tiers, fc.integer({ min: 1, max: 9 }), async (held, limit) => {
      const pages = await pagesOf(listOver(held.map((positions) => tierOver(positions))), limit);
      t.deepEqual(
        pages.flat(),
        held.flatMap((positions) => positions.toSorted().toReversed()),
      );
      for (const page of pages.slice(0, -1)) t.is(page.length, limit);
      t.true(pages.length === 1 || (pages.at(-1)?.length ?? 0) > 0);
    }),
  );
});

test('a tier is asked for no more than is missing, and the next one only when it has too few', async (t) => {
  const first: number[] = [];
  const second: number[] = [];
  const list = listOver([tierOver(['003', '002', '001'], first), tierOver(['009'], second)]);
  await readPage(list, { cursor: null, limit: 2 });
  t.deepEqual([first, second], [[3], []]);
  await readPage(list, { cursor: null, limit: 3 });
  t.deepEqual([first, second], [[3, 4], [1]]);
});

test('a cursor that was not made here is refused before anything is read', async (t) => {
  const counts: number[] = [];
  const refused = await readPage(listOver([tierOver(['001'], counts)]), { cursor: 'AQAx', limit: 1 });
  t.deepEqual(
    refused,
    E.left({ tag: 'invalid', message: 'cursor: is not valid for this list; start again from the first page' } as const),
  );
  t.deepEqual(counts, []);
});
