import test from 'ava';
import fc from 'fast-check';
import type { Document } from 'mongodb';
import { readInWindows, skipListTier } from '../../../read-models/embedded/read-in-windows.ts';
import { type SkipLevel, skipKey, skipLevel, skipToken } from '../../../read-models/embedded/skip-list.ts';
import { MAX_POSITIONS, readWindows } from '../../../read-models/embedded/windows.ts';
import { type ListPart, restOfList } from '../../../read-models/list-part.ts';
import {
  type ListRequest,
  type ListTier,
  listTiersOf,
  type PositionedElement,
  pagePipeline,
  type ReadListTier,
  readByQuery,
  readList,
} from '../../../read-models/lists.ts';
import { listPosition } from '../../../read-models/position.ts';
import { projectRenders, type RenderFilter, teamRenders } from '../../../read-models/renders/query-fields.ts';

const ALL: RenderFilter = { status: null, template_id: null };
const READY: RenderFilter = { ...ALL, status: 'ready' };

const elements = (tier: ListTier, part: ListPart) => pagePipeline(tier, part, 21);

const positions = (tier: ListTier, level: SkipLevel, part: ListPart) =>
  pagePipeline(skipListTier(tier, level), part, 9);

const pipelines = async (search: string | null, order: 'asc' | 'desc', part: ListPart) =>
  listTiersOf(projectRenders('proj_1', READY), { search, order }).map((tier) => elements(tier, part));

const own = { project_id: 'proj_1', status: 'ready' };
const rest = [{ $limit: 21 }, { $project: { render: 1, name: 1 } }];

test('a list by date is one range of an index', async (t) => {
  const range = (by_project_status: Document, direction: 1 | -1) => [
    [{ $match: { by_project_status } }, { $match: own }, { $sort: { by_project_status: direction } }, ...rest],
  ];
  const whole = restOfList(null);
  const part = { after: '1795rend_1', until: '1797rend_2' };
  t.deepEqual(await pipelines(null, 'desc', whole), range({ $gte: 'proj_1:ready:0', $lt: 'proj_1:ready:9' }, -1));
  t.deepEqual(
    await pipelines(null, 'desc', restOfList('1795rend_1')),
    range({ $gte: 'proj_1:ready:0', $lt: 'proj_1:ready:1795rend_1' }, -1),
  );
  t.deepEqual(
    await pipelines(null, 'desc', { after: '1797rend_2', until: '1795rend_1' }),
    range({ $gte: 'proj_1:ready:1795rend_1', $lt: 'proj_1:ready:1797rend_2' }, -1),
  );
  t.deepEqual(await pipelines(null, 'asc', whole), range({ $gte: 'proj_1:ready:0', $lt: 'proj_1:ready:9' }, 1));
  t.deepEqual(
    await pipelines(null, 'asc', restOfList('1795rend_1')),
    range({ $gt: 'proj_1:ready:1795rend_1', $lt: 'proj_1:ready:9' }, 1),
  );
  t.deepEqual(
    await pipelines(null, 'asc', part),
    range({ $gt: 'proj_1:ready:1795rend_1', $lte: 'proj_1:ready:1797rend_2' }, 1),
  );
});

test('renders of a template are in the order of all renders', (t) => {
  const part = restOfList('1797rend_2');
  for (const status of [null, 'ready'] as const) {
    const [tier] = listTiersOf(projectRenders('proj_1', { status, template_id: 'tpl_1' }), {
      search: null,
      order: 'desc',
    });
    if (tier === undefined) throw new Error('no tier');
    t.deepEqual(elements(tier, part), [
      { $match: { by_project: { $gte: 'proj_1:0', $lt: 'proj_1:1797rend_2' } } },
      { $match: { project_id: 'proj_1', ...(status !== null && { status }), 'render.template_id': 'tpl_1' } },
      { $sort: { by_project: -1 } },
      ...rest,
    ]);
  }
  const [exact] = listTiersOf(projectRenders('proj_1', { ...READY, template_id: 'tpl_1' }), {
    search: 'sale',
    order: 'asc',
  });
  t.deepEqual(exact?.own, { ...own, 'render.template_id': 'tpl_1' });
});

test('a search is three ranges of tokens without matches of better tiers', async (t) => {
  const range = (token: string, more: Document, after = '9', until = '0') => [
    { $match: { search: token, position: { $gte: until, $lt: after } } },
    { $match: { ...more, ...own } },
    { $sort: { position: -1 } },
    ...rest,
  ];
  t.deepEqual(await pipelines('Sale', 'asc', { after: '1795rend_1', until: '1793rend_2' }), [
    range('proj_1:!sale', {}, '1795rend_1', '1793rend_2'),
    range('proj_1:=sale', { search: { $ne: 'proj_1:!sale' } }, '1795rend_1', '1793rend_2'),
    range('proj_1:sale', { search: { $not: { $all: ['proj_1:=sale'] } } }, '1795rend_1', '1793rend_2'),
  ]);
  const [, whole, prefix] = await pipelines('Sale spring', 'desc', restOfList(null));
  t.deepEqual(whole, range('proj_1:=spring', { search: { $all: ['proj_1:=sale'], $ne: 'proj_1:!sale spring' } }));
  t.deepEqual(
    prefix,
    range('proj_1:spring', { search: { $all: ['proj_1:sale'], $not: { $all: ['proj_1:=spring', 'proj_1:=sale'] } } }),
  );
  t.deepEqual(await pipelines('!', 'desc', restOfList(null)), []);
});

test('levels of a skip list are ranges on the same or sparse indexes', (t) => {
  const window = { after: '1797rend_2', until: '1795rend_1' };
  const of = (search: string | null) =>
    listTiersOf(projectRenders('proj_1', READY), { search, order: 'desc' }).map((tier) => positions(tier, 2, window));
  const shown = [{ $limit: 9 }, { $project: { position: 1 } }];
  t.deepEqual(of(null), [
    [
      { $match: { by_project_status_skip: { $gte: 'proj_1:ready#2:1795rend_1', $lt: 'proj_1:ready#2:1797rend_2' } } },
      { $match: own },
      { $sort: { by_project_status_skip: -1 } },
      ...shown,
    ],
  ]);
  t.deepEqual(
    of('sale').map(([first]) => first),
    ['proj_1:#2!sale', 'proj_1:#2=sale', 'proj_1:#2sale'].map((search) => ({
      $match: { search, position: { $gte: '1795rend_1', $lt: '1797rend_2' } },
    })),
  );
});

test('renders of a team are one range, by audit token or by status', (t) => {
  const window = { after: '1797rend_2', until: '1795rend_1' };
  const range = { $gte: '1795rend_1', $lt: '1797rend_2' };
  const token = (level: number) => JSON.stringify(['requested', level, 'team', 'team_1', 'any', null]);
  const whole = teamRenders('team_1', null);
  const tail = [{ $match: {} }, { $sort: { position: -1 } }];
  t.deepEqual(elements(whole, window), [{ $match: { search: token(0), position: range } }, ...tail, ...rest]);
  t.deepEqual(positions(whole, 1, window).slice(0, 3), [{ $match: { search: token(1), position: range } }, ...tail]);
  const ready = teamRenders('team_1', 'ready');
  t.deepEqual(elements(ready, window), [
    { $match: { by_team_status: { $gte: 'team_1:ready:1795rend_1', $lt: 'team_1:ready:1797rend_2' } } },
    { $match: { 'render.team_id': 'team_1', status: 'ready' } },
    { $sort: { by_team_status: -1 } },
    ...rest,
  ]);
  t.deepEqual(positions(ready, 2, window)[0], {
    $match: { by_team_status_skip: { $gte: 'team_1:ready#2:1795rend_1', $lt: 'team_1:ready#2:1797rend_2' } },
  });
});

type Held = {
  readonly position: string;
  readonly status: 'ready' | 'complete';
  readonly level: 0 | SkipLevel;
  readonly tokens: readonly string[];
};

/** The answer of a server for the parts of pipelines that lists use. */
const answer = (rows: readonly Document[], [first, second, sort, limit]: readonly Document[]): readonly Document[] => {
  const holds = (value: unknown, wanted: unknown): boolean => {
    if (typeof wanted !== 'object' || wanted === null)
      return Array.isArray(value) ? value.includes(wanted) : value === wanted;
    return Object.entries(wanted).every(([operator, operand]) => {
      if (operator === '$ne') return !holds(value, operand);
      if (operator === '$not') return !holds(value, operand);
      if (operator === '$all') return operand.every((one: unknown) => holds(value, one));
      if (typeof value !== 'string') return false;
      if (operator === '$gt') return value > operand;
      if (operator === '$gte') return value >= operand;
      if (operator === '$lt') return value < operand;
      if (operator === '$lte') return value <= operand;
      throw new Error(`no operator of a list: ${operator}`);
    });
  };
  const wanted = [...Object.entries(first?.$match ?? {}), ...Object.entries(second?.$match ?? {})];
  const [field = '', direction] = Object.entries(sort?.$sort ?? {})[0] ?? [];
  const found = rows.filter((row) => wanted.every(([name, condition]) => holds(row[name], condition)));
  const ascending = found.toSorted((a, b) => (a[field] < b[field] ? -1 : 1));
  return (direction === 1 ? ascending : ascending.toReversed()).slice(0, limit?.$limit);
};

const rowOf = ({ position, status, level, tokens }: Held): Document => {
  const created_at = Number(position.slice(0, 13));
  const id = position.slice(13);
  return {
    ...{ position, status, project_id: 'proj_1' },
    by_project: `proj_1:${position}`,
    by_project_status: `proj_1:${status}:${position}`,
    ...(level === 0
      ? {}
      : {
          by_project_skip: skipKey('proj_1', level, created_at, id),
          by_project_status_skip: skipKey(`proj_1:${status}`, level, created_at, id),
        }),
    search: level === 0 ? tokens : [...tokens, ...tokens.map((token) => skipToken('proj_1', token, level))],
  };
};

const counted = (rows: readonly Document[], in_windows: boolean) => {
  const cost = { queries: 0, read: 0 };
  const run = (pipeline: readonly Document[]) => {
    cost.queries += 1;
    cost.read += answer(rows, [...pipeline.slice(0, 3), { $limit: rows.length }]).length;
    return answer(rows, pipeline).map(({ position }): string => position);
  };
  const plain = readByQuery<string>(async (pipeline) =>
    run(pipeline).map((position) => ({ position, element: position })),
  );
  return { cost, reads: in_windows ? readInWindows(plain, async (pipeline) => run(pipeline)) : plain };
};

const pages = async (
  list: { readonly status: Held['status'] | null; readonly request: ListRequest; readonly limit: number },
  reads: ReadListTier<string>,
): Promise<readonly string[]> => {
  const found: string[] = [];
  let from: PositionedElement<string> | null = null;
  for (;;) {
    const { status, request, limit } = list;
    const page: readonly PositionedElement<string>[] = await readList(
      projectRenders('proj_1', { ...ALL, status }),
      request,
      from,
      limit + 1,
      reads,
    );
    found.push(...page.slice(0, limit).map(({ element, tier }) => `${tier} ${element}`));
    if (page.length <= limit) return found;
    from = page[limit - 1] ?? null;
  }
};

const TOKENS = ['proj_1:!sale', 'proj_1:=sale', 'proj_1:sale', 'proj_1:=of', 'proj_1:of'];
const YEAR_MS = 31_557_600_000;

/** Bursts within milliseconds, and long pauses. */
const held: fc.Arbitrary<readonly Held[]> = fc
  .array(
    fc.record({
      created_at: fc.oneof(
        fc.integer({ min: 0, max: 2 }),
        fc.integer({ min: 1_795_000_000_000, max: 1_795_000_000_003 }),
        fc.integer({ min: 0, max: 100 * YEAR_MS }),
      ),
      status: fc.constantFrom('ready' as const, 'ready' as const, 'complete' as const),
      level: fc.constantFrom(0 as const, 0 as const, 0 as const, 1 as const, 2 as const, 3 as const),
      tokens: fc.subarray(TOKENS),
    }),
    { maxLength: 60 },
  )
  .map((all) => all.map(({ created_at, ...one }, n) => ({ ...one, position: listPosition(created_at, `rend_${n}`) })));

const bound = fc.oneof(
  fc.constant(null),
  fc.constantFrom(0, 1_795_000_000_001, 1_795_000_000_002, 1_795_000_000_003),
  fc.integer({ min: 0, max: 100 * YEAR_MS }),
);

const request: fc.Arbitrary<ListRequest> = fc.record({
  order: fc.constantFrom('asc' as const, 'desc' as const),
  search: fc.constantFrom(null, null, 'sale', 'of sale', 'winter'),
  since: bound,
  until: bound,
});

test('windows return the elements of the plain query, in its order', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      ...([held, request, fc.constantFrom(null, 'ready' as const), fc.integer({ min: 1, max: 12 })] as const),
      async (all, asked, status, limit) => {
        const rows = all.map(rowOf);
        const list = { status, request: asked, limit };
        const plain = counted(rows, false);
        t.deepEqual(await pages(list, counted(rows, true).reads), await pages(list, plain.reads));
      },
    ),
  );
});

test('a period keeps the elements created in it, in their order', async (t) => {
  const createdAt = (element: string): number => Number(element.split(' ')[1]?.slice(0, 13));
  await fc.assert(
    fc.asyncProperty(held, request, fc.integer({ min: 1, max: 12 }), async (all, asked, limit) => {
      const { order, search, since, until } = asked;
      const { reads } = counted(all.map(rowOf), false);
      const whole = await pages({ status: null, request: { order, search }, limit }, reads);
      const wanted = whole
        .filter((element) => createdAt(element) >= (since ?? 0))
        .filter((element) => createdAt(element) < (until ?? Number.POSITIVE_INFINITY));
      t.deepEqual(await pages({ status: null, request: asked, limit }, reads), wanted);
    }),
  );
});

const place = fc.oneof(
  fc.constant(null),
  fc.constantFrom('1795000000001', '1795000000002', '1795000000003'),
  fc.integer({ min: 0, max: 100 * YEAR_MS }).map((at) => listPosition(at, '')),
);

test('a list can be limited at both ends, also in windows', async (t) => {
  await fc.assert(
    fc.asyncProperty(held, place, place, fc.integer({ min: 1, max: 12 }), async (all, one, other, limit) => {
      const [until, after] = [one, other].toSorted((a, b) => ((a ?? '0') < (b ?? '9') ? -1 : 1));
      const part = { after: after ?? null, until: until ?? null };
      const [tier] = listTiersOf(projectRenders('proj_1', ALL), { order: 'desc', search: null });
      if (tier === undefined) throw new Error('no tier');
      const wanted = all
        .map(({ position }) => position)
        .filter((position) => position < (part.after ?? '9') && position >= (part.until ?? '0'))
        .toSorted((a, b) => (a < b ? 1 : -1))
        .slice(0, limit);
      for (const in_windows of [false, true]) {
        const { reads } = counted(all.map(rowOf), in_windows);
        const found = await reads(tier, part, limit, { signal: AbortSignal.timeout(5_000) });
        t.deepEqual(
          found.map(({ element }) => element),
          wanted,
        );
      }
    }),
  );
});

const MANY = 8_000;
const NOW = 1_795_000_000_000;
const ids = Array.from({ length: MANY }, (_, n) => `rend_01JD${String(n).padStart(22, '0')}`);

/** Steady, all in one millisecond, one old render, and growing density. */
const TIMES: Readonly<Record<string, (n: number) => number>> = {
  'one each second': (n) => NOW + 1_000 * n,
  'all in one millisecond': () => NOW,
  'one ten years before the others': (n) => (n === 0 ? NOW - 10 * YEAR_MS : NOW + n),
  'at growing density': (n) => NOW - Math.floor(10 * YEAR_MS * 0.999 ** n),
};

for (const [times, created_at] of Object.entries(TIMES)) {
  test(`a page of ${MANY} reads few elements in few queries: ${times}`, async (t) => {
    const rows = ids
      .map((id, n): Held => {
        const status = n % 2_000 === 7 ? 'ready' : 'complete';
        return { position: listPosition(created_at(n), id), status, level: skipLevel(id), tokens: TOKENS.slice(1, 3) };
      })
      .map(rowOf)
      .toSorted((a, b) => (a.position < b.position ? -1 : 1));
    const at = (n: number): string => rows[n]?.position;
    for (const order of ['asc', 'desc'] as const) {
      for (const after of [null, at(21), at(MANY / 2), at(MANY - 21)]) {
        for (const search of [null, 'sale']) {
          const { cost, reads } = counted(rows, true);
          const from = after === null ? null : { tier: search === null ? 0 : 1, position: after };
          const page = await readList(projectRenders('proj_1', ALL), { order, search }, from, 20, reads);
          t.is(page.length, 20);
          t.true(cost.read < 500, `${order} ${after} ${search}: ${cost.read} read`);
          t.true(cost.queries <= 12, `${order} ${after} ${search}: ${cost.queries} queries`);
        }
      }
    }
    const { cost, reads } = counted(rows, true);
    await readList(projectRenders('proj_1', READY), { order: 'desc', search: null }, null, 21, reads);
    t.like(cost, { queries: 4 });
    t.true(cost.read <= 8, `${cost.read} read`);
  });
}

test('one element in 16 is above level 0, one in 256 above level 1', (t) => {
  const levels = ids.map(skipLevel);
  const above = (level: number) => levels.filter((one) => one > level).length / MANY;
  t.true(Math.abs(above(0) - 1 / 16) < 0.01, `${above(0)}`);
  t.true(Math.abs(above(1) - 1 / 256) < 0.003, `${above(1)}`);
  t.true(above(2) < 0.002, `${above(2)}`);
});

const windowsIn = async (...asked: Parameters<typeof readWindows>): Promise<readonly ListPart[]> => {
  const windows: ListPart[] = [];
  for await (const window of readWindows(...asked)) windows.push(window);
  return windows;
};

test('a list without levels is one window', async (t) => {
  t.deepEqual(await windowsIn('desc', '5', 21, async () => []), [{ after: '5', until: null }]);
});

test('windows continue after a query with the maximum number of positions', async (t) => {
  const all = Array.from({ length: 2_500 }, (_, n) => String(n).padStart(4, '0'));
  const read =
    (of: SkipLevel) =>
    async (level: SkipLevel, { after }: ListPart) =>
      level === of ? all.filter((position) => after === null || position > after).slice(0, MAX_POSITIONS) : [];
  for (const level of [1, 2, 3] as const) {
    const windows = await windowsIn('asc', null, 21, read(level));
    t.deepEqual(
      windows.map(({ until }) => until),
      ['0002', '0014', '0062', '0254', '1022', '2022', null],
    );
    for (const [n, { after }] of windows.entries()) t.is(after, windows[n - 1]?.until ?? null);
  }
});
