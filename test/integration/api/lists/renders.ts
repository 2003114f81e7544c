import test from 'ava';
import { STATUSES } from '../../../../domain/render/render.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { caller } from '../../../helpers/renderctl.ts';
import { errorOf } from '../_client.ts';
import { get, type World } from '../_world.ts';
import {
  folded,
  idsOf,
  list,
  type Made,
  make,
  newestFirst,
  page,
  pages,
  projectCreated,
  shown,
  unsigned,
} from './_lists.ts';
import { inTeam, sharedWorld } from './_shared-world.ts';

let world: World;
let made: readonly Made[];

const TEAM = 'team_listed';

const RENDERS = 150;
const PROJECT = { project_id: 'proj_list' };
const templateOf = (n: number): string | null => [null, 'tpl_odd', 'tpl_even'][n % 3] ?? null;

test.before(async (t) => {
  t.timeout(400_000);
  world = await inTeam(await sharedWorld(), TEAM, [
    projectCreated('proj_list', 'Lists', TEAM),
    projectCreated('proj_growing', 'Growing', TEAM),
    projectCreated('proj_fresh', 'Fresh', TEAM),
    projectCreated('proj_none', 'Nothing rendered yet', TEAM),
    projectCreated('proj_list:0', 'An id that looks like a place in the list of another project', TEAM),
  ]);
  const statusOf = (n: number) => STATUSES[n % STATUSES.length] ?? 'ready';
  const makeOne = (n: number) => make(world, 'proj_list', `Render ${n}`, statusOf(n), templateOf(n));
  // Renders of one third can have the same time. A period needs different times.
  const third = async (n: number) =>
    Promise.all(Array.from({ length: RENDERS / 3 }, (_, i) => makeOne((n * RENDERS) / 3 + i)));
  made = [...(await third(0)), ...(await third(1)), ...(await third(2))];
  await make(world, 'proj_list:0', 'Of another project', 'initializing', 'tpl_odd');
  await folded(world, made);
});

test('renders: a page shows each render as a single read does', async (t) => {
  const own = newestFirst(await Promise.all(made.map((one) => shown(world, one))));
  const first = await page(world, 'renders', PROJECT);
  t.is(first.data.length, 20);
  t.is(typeof first.next_cursor, 'string');
  // Reads all pages, because the contents of the first page depend on the append times of the partitions.
  const data = [...first.data, ...(await pages(world, 'renders', PROJECT, first.next_cursor)).flat()];
  t.deepEqual(data.map(unsigned), own.map(unsigned));
  const complete = data.filter(({ status }) => status === 'complete');
  t.true(complete.length > 0);
  for (const { output } of complete) t.regex(output.master, /[?&]sig=/);
  t.true(data.every((render) => 'output' in render === (render.status === 'complete')));
});

test('renders: the pages contain all renders, in both orders and for each status', async (t) => {
  t.timeout(240_000);
  const model = newestFirst(await Promise.all(made.map((one) => shown(world, one))));
  for (const status of [null, ...STATUSES]) {
    const expected = idsOf(model.filter((render) => status === null || render.status === status));
    t.true(expected.length >= 20);
    const filter = status === null ? PROJECT : { ...PROJECT, status };
    for (const order of ['asc', 'desc']) {
      const found = await pages(world, 'renders', { ...filter, order, limit: '13' });
      t.deepEqual(idsOf(found.flat()), order === 'desc' ? expected : expected.toReversed(), `${status} ${order}`);
      t.true(found.slice(0, -1).every((one) => one.length === 13));
    }
  }
  t.deepEqual(
    (await pages(world, 'renders', PROJECT)).map(({ length }) => length),
    [20, 20, 20, 20, 20, 20, 20, 10],
  );
  t.deepEqual(
    (await pages(world, 'renders', { ...PROJECT, limit: '999' })).map(({ length }) => length),
    [60, 60, 30],
  );
  t.deepEqual(
    (await pages(world, 'renders', { ...PROJECT, limit: '50' })).map(({ length }) => length),
    [50, 50, 50],
  );
});

test('renders: the limit may change between pages', async (t) => {
  const first = await page(world, 'renders', { ...PROJECT, limit: '3' });
  const rest = await pages(world, 'renders', { ...PROJECT, limit: '60' }, first.next_cursor);
  t.deepEqual(idsOf([...first.data, ...rest.flat()]), idsOf((await pages(world, 'renders', PROJECT)).flat()));
});

test('renders: new renders appear on no page twice and hide no older ones', async (t) => {
  t.timeout(240_000);
  const growing = { project_id: 'proj_growing', limit: '7' };
  const there = await Promise.all(Array.from({ length: 40 }, (_, n) => make(world, 'proj_growing', `Before ${n}`)));
  await folded(world, there);
  for (const query of [growing, { ...growing, order: 'asc' }, { ...growing, search: 'b' }]) {
    const seen: string[] = [];
    for (let cursor: string | null = null, n = 0; ; n += 1) {
      const next: Awaited<ReturnType<typeof page>> = await page(world, 'renders', {
        ...query,
        ...(cursor === null ? {} : { cursor }),
      });
      seen.push(...idsOf(next.data));
      cursor = next.next_cursor;
      if (cursor === null) break;
      if (n < 5) {
        const more = await Promise.all(['Between', 'b', 'Beyond'].map((name) => make(world, 'proj_growing', name)));
        await folded(world, more);
      }
    }
    t.is(new Set(seen).size, seen.length);
    t.deepEqual(
      idsOf(there).filter((id) => !seen.includes(id)),
      [],
    );
  }
});

test('renders: a period includes its beginning and excludes its end', async (t) => {
  const all = (await pages(world, 'renders', PROJECT)).flat();
  const times = [...new Set(all.map(({ created_at }) => Number(created_at)))].sort((a, b) => a - b);
  const [since, until] = [times.at(1), times.at(-1)].map(String);
  const inPeriod = (from: string | undefined, to: string | undefined) =>
    all.filter(({ created_at }) => created_at >= Number(from ?? 0) && created_at < Number(to ?? Infinity));
  for (const period of [{ since, until }, { since }, { until }] as Readonly<Record<string, string>>[]) {
    const expected = idsOf(inPeriod(period.since, period.until));
    t.deepEqual(idsOf((await pages(world, 'renders', { ...PROJECT, ...period, limit: '13' })).flat()), expected);
    const searched = await pages(world, 'renders', { ...PROJECT, ...period, search: 'render', limit: '13' });
    t.deepEqual(idsOf(searched.flat()), expected);
  }
});

test('renders: a template limits a list, in any order, and a search', async (t) => {
  t.timeout(240_000);
  const all = (await pages(world, 'renders', PROJECT)).flat();
  const of = (ids: readonly string[]) => idsOf(all.filter(({ id }) => ids.includes(id)));
  const of_template = of(idsOf(made.filter((_, n) => templateOf(n) === 'tpl_odd')));
  const query = { ...PROJECT, template_id: 'tpl_odd', limit: '13' };
  t.is(of_template.length, RENDERS / 3);
  t.deepEqual(idsOf((await pages(world, 'renders', query)).flat()), of_template);
  t.deepEqual(idsOf((await pages(world, 'renders', { ...query, order: 'asc' })).flat()), of_template.toReversed());
  t.deepEqual(idsOf((await pages(world, 'renders', { ...query, search: 'render' })).flat()), of_template);
  const ready = made.filter(({ id, status }) => status === 'ready' && of_template.includes(id));
  t.true(ready.length > 0);
  t.deepEqual(idsOf((await pages(world, 'renders', { ...query, status: 'ready' })).flat()), of(idsOf(ready)));
  t.deepEqual((await pages(world, 'renders', { ...query, template_id: 'tpl_none' })).flat(), []);
});

test('renders: a list without elements is one empty page', async (t) => {
  const empty = { data: [], has_more: false, next_cursor: null };
  t.deepEqual((await list(world, 'renders', { project_id: 'proj_none' })).body, empty);
  t.deepEqual((await list(world, 'renders', { project_id: 'proj_growing', status: 'failed' })).body, empty);
});

test('renders: an empty search, an empty cursor and unknown parameters are ignored', async (t) => {
  const { body } = await list(world, 'renders', { ...PROJECT, status: 'ready' });
  t.deepEqual(
    (await list(world, 'renders', { ...PROJECT, status: 'ready', search: '', cursor: '', offset: '7' })).body,
    body,
  );
});

test('renders: a refused query names the invalid parameter', async (t) => {
  const statuses = STATUSES.join(', ');
  const refused: readonly (readonly [string, string])[] = [
    ['', 'project_id: is required, as a query parameter'],
    ['project_id=', 'project_id: must be at least 1 character'],
    ['project_id=proj_list&limit=0', 'limit: must be a whole number, 1 or more'],
    ['project_id=proj_list&limit=-1', 'limit: must be a whole number, 1 or more'],
    ['project_id=proj_list&limit=1.5', 'limit: must be a whole number, 1 or more'],
    ['project_id=proj_list&limit=', 'limit: must be a whole number, 1 or more'],
    ['project_id=proj_list&limit=ten', 'limit: must be a whole number, 1 or more'],
    ['project_id=proj_list&order=newest', 'order: must be asc or desc'],
    ['project_id=proj_list&status=done', `status: must be one of ${statuses}`],
    ['project_id=proj_list&status=', `status: must be one of ${statuses}`],
    [`project_id=proj_list&search=${'é'.repeat(251)}`, 'search: must have at most 250 characters'],
    ['project_id=proj_list&cursor=x', 'cursor: is not valid for this list; start again from the first page'],
    ['project_id=proj_list&template_id=', 'template_id: must be at least 1 character'],
    [`project_id=proj_list&template_id=${'t'.repeat(129)}`, 'template_id: must have at most 128 characters'],
    ['project_id=proj_list&since=yesterday', 'since: must be milliseconds since the epoch'],
    ['project_id=proj_list&since=5&until=5', 'until: must be after since'],
    ['project_id=proj_2&limit=0', 'limit: must be a whole number, 1 or more'],
  ];
  for (const [query, error] of refused) {
    const answer = await get(world, `renders?${query}`);
    t.deepEqual([answer.status, errorOf(answer)], [400, error], query);
  }
  const twice = await get(world, 'renders?project_id=proj_list&limit=3&limit=0');
  t.is(Object(twice.body).data.length, 3);
});

test('renders: an inaccessible project is "not found", whatever the other parameters are', async (t) => {
  const { next_cursor } = await page(world, 'renders', { ...PROJECT, limit: '1' });
  const more: readonly Readonly<Record<string, string>>[] = [
    {},
    { search: 'render' },
    { cursor: 'x' },
    { cursor: next_cursor ?? '' },
    { status: 'complete', order: 'asc' },
  ];
  for (const query of more) {
    const [theirs, unknown, too_long] = await Promise.all([
      list(world, 'renders', { project_id: 'proj_2', ...query }),
      list(world, 'renders', { project_id: 'proj_unknown', ...query }),
      list(world, 'renders', { project_id: 'p'.repeat(2_000), ...query }),
    ]);
    t.deepEqual([theirs.status, errorOf(theirs)], [404, 'there is no such project'], JSON.stringify(query));
    for (const answer of [unknown, too_long])
      t.deepEqual([answer.status, answer.body], [theirs.status, theirs.body], JSON.stringify(query));
  }
  const foreign = await list(world, 'renders', PROJECT, world.keys.theirs);
  t.deepEqual([foreign.status, errorOf(foreign)], [404, 'there is no such project']);
});

test('renders: a page is uncacheable, and HEAD equals GET', async (t) => {
  const got = await list(world, 'renders', PROJECT);
  t.is(got.headers.get('cache-control'), 'private, no-store');
  t.is(got.headers.get('etag'), null);
  const head = await get(world, 'renders?project_id=proj_list', world.keys.ours, 'HEAD');
  t.deepEqual([head.status, head.text], [200, '']);
});

test('renders: a new render appears in the list shortly after its event', async (t) => {
  const made = await make(world, 'proj_fresh', 'Zebra');
  await pollUntil('the render is listed', async () => {
    const { data } = await page(world, 'renders', { project_id: 'proj_fresh', limit: '1' });
    return data[0]?.id === made.id;
  });
  t.pass();
});

test('renders: renderctl shows a page as a table, and all pages on request', async (t) => {
  const { stack, keys } = world;
  const renderctl = caller({
    ...stack.env,
    RENDERCTL_BASE_URL: stack.component('query-api').url ?? '',
    RENDERCTL_API_KEY: keys.ours,
  });
  const call = async (...more: readonly string[]) => {
    const { exit_code, stdout, stderr } = await renderctl('render', 'list', '--project', 'proj_list', ...more);
    t.is(exit_code, 0, stderr);
    return stdout;
  };
  const [headings, ...rows] = (await call()).trimEnd().split('\n');
  t.regex(headings ?? '', /^id +name +status +created +failure$/);
  t.is(rows.at(-1), 'There are more renders. Use --all to list them.');
  t.is(rows.filter((row) => row.startsWith('rend_')).length, 20);

  const ids = async (...more: readonly string[]) => idsOf(JSON.parse(await call('--json', '--all', ...more)).data);
  const whole = (query: Readonly<Record<string, string>>) =>
    pages(world, 'renders', { ...PROJECT, ...query }).then((found) => idsOf(found.flat()));
  t.is((await ids()).length, made.length);
  t.deepEqual(await ids('--order', 'asc'), await whole({ order: 'asc' }));
  t.deepEqual(await ids('--status', 'failed'), await whole({ status: 'failed' }));
  t.deepEqual(await ids('--search', 'render 7'), await whole({ search: 'render 7' }));
  t.deepEqual(Object.keys(JSON.parse(await call('--json'))), ['data', 'has_more', 'next_cursor']);

  const refused = await renderctl('render', 'list', '--project', 'proj_unknown');
  t.deepEqual([refused.exit_code, refused.stderr], [1, 'renderctl: there is no such project\n']);
  t.is((await renderctl('render', 'list', '--project', 'proj_list', '--status', 'done')).exit_code, 2);
});
