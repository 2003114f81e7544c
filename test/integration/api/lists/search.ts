import test from 'ava';
import type { RenderStatus } from '../../../../domain/render/render.ts';
import { searchWordsOf } from '../../../../domain/search/words.ts';
import { cases } from '../../../helpers/runs.ts';
import type { World } from '../_world.ts';
import { folded, list, type Made, make, newestFirst, page, pages, projectCreated } from './_lists.ts';
import { inTeam, sharedWorld } from './_shared-world.ts';

let world: World;

const TEAM = 'team_searched';

const NAMES: readonly string[] = [
  'Spring sale',
  'Sale spring',
  'spring SALE',
  'Spring sale 2026',
  'Springs sales',
  'Sale',
  'Salesman of the year',
  'Été à Malmö',
  'ete a malmo',
  'E\u0301te\u0301 a\u0300 Malmo\u0308',
  'Summer (été)',
  'The summer sale, at last',
  'Größe',
  'GROSSE Sache',
  'a',
  'a a',
  'ab a',
  '2026-11-21 sale',
  '夏のセール',
  '夏',
  '🎬',
  '🎬 film',
  'x'.repeat(80),
  `${'x'.repeat(70)} y`,
];

test.before(async (t) => {
  t.timeout(400_000);
  const names = ['Sale of proj_1', 'Spring', 'Spring sale', 'sale', 'Sprint', 'Ødegård'];
  world = await inTeam(await sharedWorld(), TEAM, [
    projectCreated('proj_search', 'Searched', TEAM),
    projectCreated('proj_other', 'Other', TEAM),
    ...names.map((name, n) => projectCreated(`proj_named_${n}`, name, TEAM)),
  ]);
  const statuses: readonly RenderStatus[] = ['initializing', 'ready', 'failed'];
  const made: Made[] = [];
  // One after the other, so that times differ; twice, so that each tier shows its order.
  for (const [n, name] of [...NAMES, ...NAMES].entries())
    made.push(await make(world, 'proj_search', name, statuses[n % 3]));
  await make(world, 'proj_other', 'Spring sale');
  await folded(world, made);
});

const namesFor = async (world: World, search: string, more: Readonly<Record<string, string>> = {}) =>
  (await pages(world, 'renders', { project_id: 'proj_search', search, ...more })).flat().map(({ name }) => name);

const twice = (...names: readonly string[]): readonly string[] => [...names, ...names];

test('search: exact names rank first, then whole words, then prefixes; newest first within each', async (t) => {
  const found = await namesFor(world, 'spring sale');
  t.deepEqual(found, [
    ...twice('spring SALE', 'Spring sale'),
    ...twice('Spring sale 2026', 'Sale spring'),
    ...twice('Springs sales'),
  ]);
  t.deepEqual(await namesFor(world, 'sale'), [
    ...twice('Sale'),
    ...twice(
      '2026-11-21 sale',
      'The summer sale, at last',
      'Spring sale 2026',
      'spring SALE',
      'Sale spring',
      'Spring sale',
    ),
    ...twice('Salesman of the year', 'Springs sales'),
  ]);
});

test('search: accents, case and Unicode forms make no difference', async (t) => {
  const expected = twice('E\u0301te\u0301 a\u0300 Malmo\u0308', 'ete a malmo', 'Été à Malmö');
  for (const search of ['Été à Malmö', 'ETE A MALMO', 'e\u0301te a malmo\u0308', '  ete,a//MALMÖ! '])
    t.deepEqual(await namesFor(world, search), expected, search);
  t.deepEqual(await namesFor(world, 'gro'), twice('GROSSE Sache', 'Größe'));
  t.deepEqual(await namesFor(world, 'größe'), [...twice('Größe'), ...twice('GROSSE Sache')]);
});

test('search: all words must match, each as a word or the beginning of one', async (t) => {
  t.deepEqual(await namesFor(world, 'sum sal'), twice('The summer sale, at last'));
  t.deepEqual(await namesFor(world, 'sal sum'), twice('The summer sale, at last'));
  t.deepEqual(await namesFor(world, 'sale winter'), []);
  t.deepEqual(await namesFor(world, 'ale'), []);
  t.deepEqual(await namesFor(world, '2026 sale'), [...twice('2026-11-21 sale', 'Spring sale 2026')]);
  t.deepEqual((await namesFor(world, 'a a')).slice(0, 2), ['a a', 'a a']);
});

test('search: any script is searchable, and a query without words finds nothing', async (t) => {
  t.deepEqual(await namesFor(world, '夏'), [...twice('夏'), ...twice('夏のセール')]);
  t.deepEqual(await namesFor(world, '🎬 FILM'), twice('🎬 film'));
  for (const search of ['🎬', '!', '--', '\u0000', '.*', '$']) t.deepEqual(await namesFor(world, search), [], search);
  t.is((await namesFor(world, ' ')).length, 2 * NAMES.length, 'blanks are no search');
});

test('search: a long word is found whole or by its first 64 letters', async (t) => {
  t.deepEqual(await namesFor(world, 'x'.repeat(80)), [...twice('x'.repeat(80)), ...twice(`${'x'.repeat(70)} y`)]);
  t.deepEqual(await namesFor(world, 'x'.repeat(64)), twice(`${'x'.repeat(70)} y`, 'x'.repeat(80)));
});

test('search: the pages contain every match, with or without a status', async (t) => {
  t.timeout(240_000);
  for (const search of ['s', 'sale', 'spring sale', 'a'])
    for (const filter of [{}, { status: 'ready' }]) {
      const query = { project_id: 'proj_search', search, ...filter };
      const whole = await page(world, 'renders', { ...query, limit: '60' });
      t.is(whole.next_cursor, null);
      t.true(whole.data.length > 1);
      t.true(whole.data.every(({ status }) => !('status' in filter) || status === 'ready'));
      for (const limit of cases(['1', '2', '3', '7'], (one) => one === '7' || search === 'spring sale')) {
        const found = await pages(world, 'renders', { ...query, limit });
        t.deepEqual(found.flat(), [...whole.data], `${search} ${limit}`);
        t.true(found.every(({ length }, n) => length === Number(limit) || n === found.length - 1));
      }
      const [asc, desc] = await Promise.all(
        ['asc', 'desc'].map((order) => list(world, 'renders', { ...query, order, limit: '2' })),
      );
      t.deepEqual(asc?.body, desc?.body);
    }
});

test('search: matches follow from the words of the names', async (t) => {
  t.timeout(240_000);
  const all = newestFirst((await pages(world, 'renders', { project_id: 'proj_search' })).flat());
  const searches = [
    's',
    'sp',
    'spring',
    'sale',
    'of the',
    'a',
    'ab',
    'a b',
    'ete',
    'malmo a',
    '2026',
    '21 11',
    'y x',
    'last at',
  ];
  for (const search of searches) {
    const words = searchWordsOf(search);
    const tier = (name: string): number => {
      const own = searchWordsOf(name);
      if (own.join(' ') === words.join(' ')) return 0;
      if (words.every((word) => own.includes(word))) return 1;
      return words.every((word) => own.some((one) => one.startsWith(word))) ? 2 : 3;
    };
    const expected = all.filter(({ name }) => tier(name) < 3).toSorted((a, b) => tier(a.name) - tier(b.name));
    const found = (await pages(world, 'renders', { project_id: 'proj_search', search, limit: '5' })).flat();
    t.deepEqual(
      found.map(({ id }) => id),
      expected.map(({ id }) => id),
      search,
    );
  }
});

test('search: only the requested project is searched', async (t) => {
  const { data } = await page(world, 'renders', { project_id: 'proj_other', search: 'spring' });
  t.deepEqual(
    data.map(({ name, project }) => [name, project.id]),
    [['Spring sale', 'proj_other']],
  );
});

test('search: projects are searched the same way, by their newest name', async (t) => {
  const names = async (search: string) =>
    (await pages(world, 'projects', { team_id: TEAM, search, limit: '1' })).flat().map(({ name }) => name);
  t.deepEqual(await names('spring'), ['Spring', 'Spring sale']);
  t.deepEqual(await names('spri'), ['Sprint', 'Spring sale', 'Spring']);
  t.deepEqual(await names('sale'), ['sale', 'Spring sale', 'Sale of proj_1']);
  t.deepEqual(await names('odegard'), ['Ødegård']);
  t.deepEqual(await names('theirs'), []);
});
