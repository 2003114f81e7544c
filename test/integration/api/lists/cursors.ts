import { readFile } from 'node:fs/promises';
import test from 'ava';
import fc from 'fast-check';
import { errorOf } from '../_client.ts';
import { get, type World } from '../_world.ts';
import { folded, keyFor, list, make, page, pages, projectCreated, teamCreated } from './_lists.ts';
import { inTeam, sharedWorld } from './_shared-world.ts';

let world: World;
let other_key: string;

const TEAM = 'team_cursors';

const REFUSED = 'cursor: is not valid for this list; start again from the first page';

test.before(async (t) => {
  t.timeout(400_000);
  const several = keyFor('key_cursors_several', [TEAM, 'team_more']);
  other_key = several.key;
  world = await inTeam(await sharedWorld(), TEAM, [
    teamCreated('team_more'),
    several.event,
    projectCreated('proj_a', 'Sale a', TEAM),
    projectCreated('proj_b', 'Sale b', TEAM),
    projectCreated('proj_more', 'Sale more', 'team_more'),
    projectCreated('proj_more_2', 'Sale more', 'team_more'),
  ]);
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, n) => make(world, n % 2 === 0 ? 'proj_a' : 'proj_b', `Sale ${n}`, 'ready')),
  );
  await folded(world, made);
});

type Query = Readonly<Record<string, string>>;

const LISTS: readonly (readonly ['renders' | 'projects', Query])[] = [
  ['renders', { project_id: 'proj_a' }],
  ['renders', { project_id: 'proj_b' }],
  ['renders', { project_id: 'proj_a', order: 'asc' }],
  ['renders', { project_id: 'proj_a', status: 'ready' }],
  ['renders', { project_id: 'proj_a', status: 'ready', order: 'asc' }],
  ['renders', { project_id: 'proj_a', since: '1' }],
  ['renders', { project_id: 'proj_a', status: 'ready', since: '1' }],
  ['renders', { project_id: 'proj_a', template_id: 'tpl_1' }],
  ['renders', { project_id: 'proj_a', template_id: 'tpl_1', since: '1' }],
  ['renders', { project_id: 'proj_a', search: 'sale' }],
  ['renders', { project_id: 'proj_a', search: 'sal' }],
  ['renders', { project_id: 'proj_a', search: 'sale', status: 'ready' }],
  ['projects', { team_id: TEAM }],
  ['projects', { team_id: TEAM, order: 'asc' }],
  ['projects', { team_id: TEAM, search: 'sale' }],
];

const cursorOf = async (world: World, path: string, query: Query): Promise<string> => {
  const { next_cursor } = await page(world, path, { ...query, limit: '1' });
  if (next_cursor === null) throw new Error(`one page only: ${path} ${JSON.stringify(query)}`);
  return next_cursor;
};

test('cursors: a cursor is valid only for its own list', async (t) => {
  for (const [path, query] of LISTS) {
    const cursor = await cursorOf(world, path, query);
    for (const [other_path, other] of LISTS) {
      const { status, body } = await list(world, other_path, { ...other, cursor });
      const own = path === other_path && query === other;
      t.is(status, own ? 200 : 400, `${JSON.stringify(query)} for ${JSON.stringify(other)}`);
      if (!own) t.deepEqual(body, { error: REFUSED, code: 'invalid_cursor', param: 'cursor' });
    }
  }
});

test('cursors: a cursor of one team is invalid for another team of the key', async (t) => {
  const of_one = Object((await list(world, 'projects', { team_id: TEAM, limit: '1' }, other_key)).body);
  const { status, body } = await list(
    world,
    'projects',
    { team_id: 'team_more', cursor: of_one.next_cursor },
    other_key,
  );
  t.deepEqual([status, body], [400, { error: REFUSED, code: 'invalid_cursor', param: 'cursor' }]);
});

test('cursors: letter case, an explicit default order and the limit are irrelevant', async (t) => {
  const search = await cursorOf(world, 'renders', { project_id: 'proj_a', search: 'sale' });
  const same: readonly Query[] = [
    { search: 'SALE' },
    { search: ' sale! ' },
    { search: 'sale', order: 'asc' },
    { search: 'sale', limit: '60' },
  ];
  for (const query of same)
    t.is((await list(world, 'renders', { project_id: 'proj_a', ...query, cursor: search })).status, 200);
  const by_date = await cursorOf(world, 'renders', { project_id: 'proj_a' });
  t.is((await list(world, 'renders', { project_id: 'proj_a', order: 'desc', cursor: by_date })).status, 200);
});

test('cursors: a cursor reveals nothing that its owner has not seen', async (t) => {
  const { data, next_cursor } = await page(world, 'renders', { project_id: 'proj_a', limit: '1' });
  const text = Buffer.from(next_cursor ?? '', 'base64url').toString('latin1');
  t.true(text.includes(data[0]?.id));
  t.false(text.includes('proj_a'));
});

/** Variants of a cursor by an attacker or a faulty client. */
const candidates = (cursors: readonly string[]): fc.Arbitrary<string> => {
  const cursor = fc.constantFrom(...cursors);
  const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
  const changed = fc.tuple(cursor, fc.nat(), letter).map(([text, n, to]) => {
    const at = n % text.length;
    return text.slice(0, at) + to + text.slice(at + 1);
  });
  const cut = fc.tuple(cursor, fc.nat()).map(([text, n]) => text.slice(0, 1 + (n % (text.length - 1))));
  const longer = fc
    .tuple(cursor, fc.string({ unit: letter, minLength: 1, maxLength: 40 }))
    .map((parts) => parts.join(''));
  const spliced = fc
    .tuple(cursor, cursor, fc.nat())
    .map(([a, b, n]) => a.slice(0, n % a.length) + b.slice(n % a.length));
  const bytes = fc
    .uint8Array({ minLength: 1, maxLength: 400 })
    .map((array) => Buffer.from(array).toString('base64url'));
  const padded = cursor.map((text) => `${text}=`);
  return fc.oneof(
    { weight: 4, arbitrary: changed },
    { weight: 2, arbitrary: cut },
    { weight: 2, arbitrary: longer },
    { weight: 2, arbitrary: spliced },
    { weight: 2, arbitrary: bytes },
    padded,
    fc.string({ unit: 'binary', minLength: 1 }).map((text) => text.toWellFormed()),
    fc.string({ unit: letter, minLength: 500, maxLength: 600 }),
    fc.constant('A'.repeat(6_000)),
  );
};

const residentKb = async (pid: number | null): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
};

/** Number of requests. `make soak-render` sets a higher one, which reveals even small leaks per request. */
const TRIES = Number(process.env.ODD_REQUESTS ?? 1_000);
const AT_ONCE = 16;
/** The tolerance for garbage; a leak per request would be several times larger. */
const MAX_GROWTH_KB = 32 * 1024;

test.serial('cursors: thousands of foreign cursors get 400 in constant memory', async (t) => {
  t.timeout(450_000);
  const query = { project_id: 'proj_a', search: 'sale', status: 'ready' };
  const genuine = (await pages(world, 'renders', query)).length;
  t.is(genuine, 1);
  const cursors = await Promise.all(LISTS.map(([path, other]) => cursorOf(world, path, other)));
  const own = await cursorOf(world, 'renders', query);
  const foreign = fc.sample(candidates(cursors), TRIES).filter((text) => text !== own && text !== '');
  t.true(foreign.length > 0.9 * TRIES);
  const waiting = [...foreign, ...cursors.filter((text) => text !== own)];
  while (waiting.length < TRIES) waiting.push(`${own}${waiting.length}`);

  const pid = world.stack.component('query-api').pid();
  const statuses = new Map<number, number>();
  const texts = new Set<string | null>();
  const client = async (bound: number) => {
    while (waiting.length > bound) {
      const cursor = waiting.pop() ?? '';
      const answer = await list(world, 'renders', { ...query, cursor });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      texts.add(errorOf(answer));
      if (answer.status !== 400) t.log(`${answer.status} for ${cursor}`);
    }
  };
  const all = (bound: number) => Promise.all(Array.from({ length: AT_ONCE }, () => client(bound)));
  // The first requests grow the process to its size under load.
  await all(Math.floor(TRIES * 0.6));
  const before_kb = await residentKb(pid);
  await all(0);
  const after_kb = await residentKb(pid);
  t.deepEqual([...statuses.keys()], [400]);
  t.deepEqual([...texts], [REFUSED]);
  t.is(world.stack.component('query-api').pid(), pid);
  t.log(`${before_kb} KiB after the warm-up, ${after_kb} KiB at the end`);
  if (process.platform === 'linux') t.true(after_kb - before_kb < MAX_GROWTH_KB, `${before_kb} to ${after_kb} KiB`);
  t.is((await get(world, `renders?${new URLSearchParams({ ...query, cursor: own })}`)).status, 200);
});
