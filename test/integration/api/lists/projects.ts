import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { ulid } from 'ulid';
import { thumbnailPath } from '../../../../schemas/blobs/paths.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { cases } from '../../../helpers/runs.ts';
import { meta, versionOf } from '../_catalogue.ts';
import { errorOf } from '../_client.ts';
import { get, type World } from '../_world.ts';
import {
  appendCatalogue,
  idsOf,
  keyFor,
  list,
  newestFirst,
  page,
  pages,
  projectCreated,
  teamCreated,
} from './_lists.ts';
import { sharedWorld } from './_shared-world.ts';

let world: World;
let several: ReturnType<typeof keyFor>;
let left: ReturnType<typeof keyFor>;

const PROJECTS = 65;
const PAGED = { team_id: 'team_paged' };

test.before(async (t) => {
  t.timeout(400_000);
  world = await sharedWorld();
  [several, left] = [keyFor('key_several', ['team_paged', 'team_still']), keyFor('key_left', ['team_left'])];
  const projects = Array.from({ length: PROJECTS }, (_, n) =>
    projectCreated(`proj_p${n}`, `Project ${n}`, 'team_paged'),
  );
  const { event: key_left } = left;
  const user_left = key_left.type === 'ApiKeyIssued' ? { ...key_left, user_id: 'user_1' } : key_left;
  await appendCatalogue(world, [
    teamCreated('team_paged'),
    teamCreated('team_still'),
    several.event,
    user_left,
    projectCreated('proj_still', 'With a still', 'team_still'),
    projectCreated('proj_blank', 'Without', 'team_still'),
    ...projects,
  ]);
  await pollUntil('the projects are folded', async () => {
    return (await get(world, `projects/proj_p${PROJECTS - 1}`, several.key)).status === 200;
  });
});

/** The same world with the key that reaches several teams. */
const asSeveral = (): World => ({ ...world, keys: { ...world.keys, ours: several.key } });

test('projects: a page shows each project as a single read, even without a version', async (t) => {
  const { data, next_cursor } = await page(world, 'projects', { team_id: 'team_1' });
  t.is(next_cursor, null);
  t.deepEqual(idsOf(data).toSorted(), ['proj_1', 'proj_empty']);
  for (const project of data) t.deepEqual(project, Object((await get(world, `projects/${project.id}`)).body));
  t.deepEqual(Object.keys(data[0] ?? {}), [
    'id',
    'name',
    'team',
    'created_by',
    'thumbnail_url',
    'created_at',
    'updated_at',
  ]);
});

test('projects: the pages contain every project, newest first or oldest first', async (t) => {
  const seen = asSeveral();
  const own = await Promise.all(
    Array.from({ length: PROJECTS }, async (_, n) => Object((await get(seen, `projects/proj_p${n}`)).body)),
  );
  const expected = newestFirst(own);
  for (const limit of cases(['1', '7', '60', '61'], (one) => one !== '1')) {
    const query = { ...PAGED, limit };
    t.deepEqual((await pages(seen, 'projects', query)).flat(), [...expected], limit);
    const ascending = (await pages(seen, 'projects', { ...query, order: 'asc' })).flat();
    t.deepEqual(ascending, expected.toReversed(), limit);
  }
  t.deepEqual(
    (await pages(seen, 'projects', PAGED)).map(({ length }) => length),
    [20, 20, 20, 5],
  );
});

test('projects: team_id defaults to the only team of the key', async (t) => {
  const named = await list(world, 'projects', { team_id: 'team_1' });
  t.deepEqual((await get(world, 'projects')).body, named.body);
  const first = await page(world, 'projects', { limit: '1' });
  const second = await page(world, 'projects', { team_id: 'team_1', limit: '1', cursor: first.next_cursor ?? '' });
  t.deepEqual(idsOf([...first.data, ...second.data]), idsOf(Object(named.body).data));

  const of_several = await get(world, 'projects', several.key);
  t.deepEqual(
    [of_several.status, errorOf(of_several)],
    [400, 'team_id: is required, as this key reaches several teams: team_paged, team_still'],
  );
  const none = await get(world, 'projects', left.key);
  t.deepEqual([none.status, errorOf(none)], [400, 'team_id: is required, as this key reaches no team']);
});

test('projects: an inaccessible team is "not found", whatever the other parameters are', async (t) => {
  for (const more of [{}, { search: 'sale' }, { cursor: 'x' }]) {
    for (const team_id of ['team_2', 'team_left', 'team_unknown', 'x'.repeat(2_000)]) {
      const answer = await list(world, 'projects', { team_id, ...more });
      t.deepEqual([answer.status, errorOf(answer)], [404, 'there is no such team'], team_id.slice(0, 20));
    }
  }
});

test('projects: a refused query names the invalid parameter', async (t) => {
  const refused: readonly (readonly [string, string])[] = [
    ['team_id=', 'team_id: must be at least 1 character'],
    ['limit=0', 'limit: must be a whole number, 1 or more'],
    ['limit=x', 'limit: must be a whole number, 1 or more'],
    ['order=up', 'order: must be asc or desc'],
    ['cursor=x', 'cursor: is not valid for this list; start again from the first page'],
    [`search=${'x'.repeat(251)}`, 'search: must have at most 250 characters'],
  ];
  for (const [query, error] of refused) {
    const answer = await get(world, `projects?${query}`);
    t.deepEqual([answer.status, errorOf(answer)], [400, error], query);
  }
  t.is((await get(world, 'projects?status=done')).status, 200, 'projects have no status');
});

test('projects: list and single read show the newest still as thumbnail', async (t) => {
  const seen = asSeveral();
  const shown = async (what: string, path: string | undefined): Promise<string> =>
    await pollUntil(what, async () => {
      const { thumbnail_url } = Object((await get(seen, 'projects/proj_still')).body);
      return typeof thumbnail_url === 'string' && thumbnail_url.includes(path ?? '') ? thumbnail_url : null;
    });
  for (const version of [1, 2]) {
    const text = `still of version ${version}`;
    await appendCatalogue(seen, [versionOf('proj_still', version, 'With a still')]);
    const path = thumbnailPath('proj_still', version, ulid());
    const file = join(tmpdir(), `${ulid()}.jpg`);
    await writeFile(file, text);
    const { sha256 } = await seen.blobs.upload(path, file, { content_type: 'image/jpeg' });
    await rm(file);
    const still = { path, content_type: 'image/jpeg', sha256, width: 640, height: 360 };
    const made = { type: 'ProjectThumbnailMade', rules: 0, meta, project_id: 'proj_still', version, ...still } as const;
    await appendCatalogue(seen, [made, { ...made, path: 'projects/proj_still/thumbnails/late.jpg' }]);
    const url = await shown(`${text} is shown`, path);
    const { data } = await page(seen, 'projects', { team_id: 'team_still' });
    const listed = data.find(({ id }) => id === 'proj_still')?.thumbnail_url;
    for (const one of [url, listed]) {
      const answer = await fetch(one);
      t.deepEqual([answer.status, await answer.text()], [200, text]);
      t.is(answer.headers.get('content-type'), 'image/jpeg');
    }
    t.is(data.find(({ id }) => id === 'proj_blank')?.thumbnail_url, null);
  }
});

test('projects: a page is uncacheable, and HEAD equals GET', async (t) => {
  t.is((await get(world, 'projects')).headers.get('cache-control'), 'private, no-store');
  const head = await get(world, 'projects', world.keys.ours, 'HEAD');
  t.deepEqual([head.status, head.text], [200, '']);
});
