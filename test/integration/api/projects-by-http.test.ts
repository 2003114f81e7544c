import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { assetPath, projectPrefix } from '../../../schemas/blobs/paths.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { appendToCatalogue, issued, meta, newKey, versionOf } from './_catalogue.ts';
import { postChange } from './_changes.ts';
import { type Answer, bearer, idOf, send } from './_client.ts';
import { startWorld, type World } from './_world.ts';

type Makers = Readonly<Record<'service' | 'member' | 'admin' | 'both' | 'theirs', string>>;

const test = anyTest as TestFn<World & { readonly makers: Makers }>;

/** The hash of the assets of proj_1 and proj_2. */
const SHA256 = 'a'.repeat(64);

const TEXT = {
  name: 'Spring sale',
  main_composition_id: 'comp_main',
  compositions: [
    {
      ...{ id: 'comp_main', width: 640, height: 360, fps: 30, duration: 2 },
      layers: [{ id: 'title', type: 'text', text: 'Only this week', x: 40, y: 130, width: 560, height: 100 }],
    },
  ],
};

const titled = (name: string) => ({ ...TEXT, name });

const withLogo = (asset: unknown, name = 'Logo') => ({
  ...TEXT,
  name,
  compositions: [{ ...TEXT.compositions[0], layers: [{ id: 'mark', type: 'image', asset: 'logo' }] }],
  assets: [asset],
});

const LOGO = { id: 'logo', kind: 'image', sha256: SHA256 };

const makerKeys = async ({ clients, reads }: World): Promise<Makers> => {
  const keys = Object.fromEntries(['service', 'member', 'admin', 'both', 'theirs'].map((name) => [name, newKey()]));
  const of = (name: keyof Makers, change: Partial<Extract<CatalogueEvent, { type: 'ApiKeyIssued' }>>) =>
    issued(`key_maker_${name}`, keys[name] ?? newKey(), { scopes: ['projects:write'], ...change });
  await appendToCatalogue(clients.records, [
    { type: 'TeamCreated', rules: 0, meta, team_id: 'team_3', account_id: 'acc_1', name: 'Third' },
    { type: 'UserRegistered', rules: 0, meta, user_id: 'user_mia', email: null },
    { type: 'MemberAdded', rules: 0, meta, team_id: 'team_1', user_id: 'user_mia', role: 'member' },
    of('service', {}),
    of('member', { user_id: 'user_mia' }),
    of('admin', { user_id: 'user_1' }),
    of('both', { team_ids: ['team_1', 'team_3'] }),
    of('theirs', { account_id: 'acc_2', team_ids: ['team_2'] }),
  ]);
  const made = Object.fromEntries(Object.entries(keys).map(([name, { key }]) => [name, key])) as Makers;
  await pollUntil('the last key is folded', async () => {
    return (await send(`${reads}/teams`, { headers: bearer(made.theirs) })).status === 200;
  });
  return made;
};

test.before(async (t) => {
  t.timeout(360_000);
  const world = await startWorld();
  const folder = await mkdtemp(join(tmpdir(), 'asset '));
  const file = join(folder, 'logo.png');
  await writeFile(file, 'bytes of a logo');
  for (const project_id of ['proj_1', 'proj_2'])
    await world.blobs.upload(assetPath(project_id, SHA256), file, { content_type: 'image/png' });
  await rm(folder, { recursive: true });
  t.context = { ...world, makers: await makerKeys(world) };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.stop?.();
});

type Headers = Readonly<Record<string, string>>;

const post = (world: World, key: string, path: string, body: unknown, headers: Headers = {}): Promise<Answer> =>
  postChange(world, key, `projects${path}`, body, headers);

const get = ({ reads }: World, key: string, path: string): Promise<Answer> =>
  send(`${reads}/projects${path}`, { headers: bearer(key) });

const create = async (world: World & { readonly makers: Makers }, document: unknown = TEXT): Promise<string> => {
  const created = await post(world, world.makers.service, '', { document });
  if (created.status !== 201) throw new Error(created.text);
  return idOf(created);
};

const pathsOf = ({ body }: Answer): readonly string[] =>
  (Array.isArray(Object(body).faults) ? Object(body).faults : []).map((fault: unknown) => Object(fault).path);

test('a project from a starter has its document and its files', async (t) => {
  const { makers, reads, blobs } = t.context;
  const starters = await send(`${reads}/starters`, { headers: bearer(makers.service) });
  t.is(starters.status, 200);
  t.like(Object(starters.body).data[1], { id: 'quote-card', name: 'Quote card', width: 1080, duration: 7 });
  const headers = { 'Idempotency-Key': 'from-a-starter' };
  const wanted = { starter: 'quote-card', name: 'Our quotes' };
  const created = await post(t.context, makers.service, '', wanted, headers);
  t.is(created.status, 201, created.text);
  t.is(created.headers.get('etag'), '"1"');
  t.like(created.body, { name: 'Our quotes' });
  const id = idOf(created);
  t.is(idOf(await post(t.context, makers.service, '', wanted, headers)), id);
  const assets = await get(t.context, makers.service, `/${id}/assets`);
  const [font] = Object(assets.body).data;
  t.like(font, { kind: 'font', file_name: 'dm-serif-display.ttf' });
  t.true(await blobs.exists(assetPath(id, font.sha256)));
  const read = await get(t.context, makers.service, `/${id}/versions/1`);
  const repeated = await post(t.context, makers.service, `/${id}/versions`, read.body, { 'If-Match': '"1"' });
  t.is(repeated.status, 200, repeated.text);

  const refusals = [
    [{ starter: 'quotes' }, 'starter'],
    [{ starter: 'quote-card', document: TEXT }, 'starter'],
    [{}, 'document'],
    [{ document: 'text' }, 'document'],
  ] as const;
  for (const [body, param] of refusals) {
    const refused = await post(t.context, makers.service, '', body);
    t.like(refused, { status: 400 }, refused.text);
    t.is(Object(refused.body).param, param, refused.text);
  }
});

test('a project is created with its document, and can be read, changed and renamed', async (t) => {
  const { makers } = t.context;
  const created = await post(t.context, makers.admin, '', { name: 'Own name', document: TEXT });
  t.is(created.status, 201);
  const id = idOf(created);
  t.like(created.body, { name: 'Own name', team: { id: 'team_1' }, created_by: 'user_1', thumbnail_url: null });
  t.is(created.headers.get('location'), `/v1/projects/${id}`);
  t.is(created.headers.get('etag'), '"1"');
  t.like((await get(t.context, makers.admin, `/${id}`)).body, { id, name: 'Own name' });

  const document = { ...TEXT, name: 'Second' };
  const added = await post(t.context, makers.service, `/${id}/versions`, { document }, { 'If-Match': '"1"' });
  t.is(added.status, 201);
  t.like(added.body, { project_id: id, version: 2, added_by: 'key_maker_service' });
  t.is(added.headers.get('location'), `/v1/projects/${id}/versions/2`);
  const renamed = await post(t.context, makers.member, `/${id}/rename`, { name: 'Third' });
  t.like(renamed, { status: 200, body: { name: 'Third' } });
  t.is(renamed.headers.get('etag'), '"3"');
  t.is((await post(t.context, makers.member, `/${id}/rename`, { name: 'Third' })).headers.get('etag'), '"3"');

  const page = await get(t.context, makers.service, `/${id}/versions?limit=2`);
  t.like(page.body, {
    data: { 0: { version: 3, added_by: 'key_maker_member' }, 1: { version: 2 }, length: 2 },
    has_more: true,
  });
  const rest = await get(t.context, makers.service, `/${id}/versions?cursor=${Object(page.body).next_cursor}`);
  t.like(rest.body, { data: { 0: { version: 1, added_by: 'key_maker_admin' }, length: 1 }, has_more: false });
  const read = await get(t.context, makers.service, `/${id}/versions/2`);
  t.is(read.headers.get('etag'), '"2"');
  t.like(Object(read.body).document, { name: 'Second', compositions: { 0: { background: '#000000' } } });
  t.is((await get(t.context, makers.service, `/${id}/versions/4`)).status, 404);
  t.is((await get(t.context, makers.service, `/${id}/versions/0x1`)).status, 404);
});

test('a version that was read can be sent again, and then nothing changes', async (t) => {
  const { makers } = t.context;
  const id = await create(t.context, withLogo({ ...LOGO, file_name: 'mark.png' }));
  const { document } = Object((await get(t.context, makers.service, `/${id}/versions/1`)).body);
  t.deepEqual(document.assets, [
    { ...LOGO, size_bytes: 10, content_type: 'image/png', file_name: 'mark.png', font_family: null },
  ]);
  const again = await post(t.context, makers.service, `/${id}/versions`, { document }, { 'If-Match': '"1"' });
  t.like(again, { status: 200, body: { version: 1 } });
  const assets = await get(t.context, makers.service, `/${id}/assets`);
  t.deepEqual(Object(assets.body).data, document.assets);
});

test('a hash names an asset of a reached team, and of no other team', async (t) => {
  const { blobs, makers } = t.context;
  const id = await create(t.context, withLogo({ ...LOGO, content_type: 'text/html', font_covers: 'x' }));
  t.true(await blobs.exists(assetPath(id, SHA256)), 'the file is copied');
  t.like(Object((await get(t.context, makers.service, `/${id}/assets`)).body).data, {
    0: { content_type: 'image/png' },
  });
  const unknown = { ...LOGO, sha256: 'b'.repeat(64) };
  const refused = await post(t.context, makers.service, '', { document: withLogo(unknown) });
  t.is(refused.status, 400);
  t.deepEqual(pathsOf(refused), ['assets[0].sha256']);
  const of_others = await post(t.context, makers.both, '', { team_id: 'team_3', document: withLogo(LOGO) });
  t.is(of_others.status, 201, 'a team of the same key');
  const foreign = await secretAsset(t.context);
  const by_us = await post(t.context, makers.service, '', { document: withLogo(foreign) });
  const by_them = await post(t.context, makers.theirs, '', { document: withLogo(foreign) });
  t.is(by_them.status, 201, 'their own key can name it');
  t.deepEqual({ ...Object(by_us.body) }, { ...Object(refused.body) }, 'like a hash that does not exist');
});

/** An asset that only team_2 of the other account has. */
const secretAsset = async ({ blobs, clients, reads, makers }: World & { readonly makers: Makers }) => {
  const sha256 = 'c'.repeat(64);
  const folder = await mkdtemp(join(tmpdir(), 'secret '));
  const file = join(folder, 'secret.png');
  await writeFile(file, 'secret');
  await blobs.upload(assetPath('proj_2', sha256), file, { content_type: 'image/png' });
  await rm(folder, { recursive: true });
  const asset = { id: 'logo', kind: 'image', sha256, size_bytes: 6, content_type: 'image/png', file_name: 'a.png' };
  const stored = { ...asset, font_family: null, font_covers: null };
  const logo = withLogo(stored);
  await appendToCatalogue(clients.records, [
    versionOf('proj_2', 2, 'Theirs', {
      assets: logo.assets,
      compositions: logo.compositions,
      templates: [],
      variants: [],
    }),
  ]);
  await pollUntil('the version is folded', async () => {
    return (await send(`${reads}/projects/proj_2/versions/2`, { headers: bearer(makers.theirs) })).status === 200;
  });
  return { id: 'logo', kind: 'image', sha256 };
};

test('all faults of a document come at once, with their places', async (t) => {
  const { makers } = t.context;
  const document = {
    ...withLogo({ id: 'logo', kind: 'image', file: 'assets/logo.png', colour: 1 }),
    name: 'two\nlines',
    compositions: [{ ...TEXT.compositions[0], width: 641, layers: [{ id: 'mark', type: 'image', asset: 'none' }] }],
    assets: [
      { id: 'logo', kind: 'image', file: 'assets/logo.png', colour: 1 },
      { id: 'film', kind: 'video', url: 'http://example.com/film.mp4' },
      { id: 'song', kind: 'audio', sha256: SHA256 },
      { id: 'face', kind: 'font' },
      'text',
    ],
  };
  const answer = await post(t.context, makers.service, '', { document });
  t.is(answer.status, 400);
  const paths = new Set(pathsOf(answer));
  for (const path of ['name', 'compositions[0].width', 'compositions[0].layers[0].asset'])
    t.true(paths.has(path), `${path} of ${[...paths]}`);
  for (const path of ['[0].colour', '[0].file', '[1].url', '[2].kind', '[3].sha256', '[4]'])
    t.true(paths.has(`assets${path}`), `assets${path} of ${[...paths]}`);
  t.regex(String(Object(answer.body).error), /^document\..* more faults$/);
  for (const wrong of [{}, { document: 'text' }, { document: [] }, { document: TEXT, name: '' }, []])
    t.is((await post(t.context, makers.service, '', wrong)).status, 400, JSON.stringify(wrong));
});

test('a version on an outdated one is refused, and names the newer author', async (t) => {
  const { makers } = t.context;
  const id = await create(t.context);
  const both = await Promise.all(
    ['One', 'Two'].map((name) =>
      post(t.context, makers.admin, `/${id}/versions`, { document: titled(name) }, { 'If-Match': '"1"' }),
    ),
  );
  t.deepEqual(both.map(({ status }) => status).sort(), [201, 412]);
  const refused = both.find(({ status }) => status === 412);
  t.like(refused?.body, { version: 2, changed_by: 'key_maker_admin' });
  t.true(Object(refused?.body).changed_at > 0);
  const document = titled(both[0]?.status === 201 ? 'One' : 'Two');
  const repeated = await post(t.context, makers.admin, `/${id}/versions`, { document }, { 'If-Match': '"1"' });
  t.like(repeated, { status: 200, body: { version: 2 } }, 'the answer of the first request was lost');
  t.is((await post(t.context, makers.admin, `/${id}/versions`, { document: TEXT })).status, 428);
  for (const header of ['1', 'W/"1"', '"1", "2"', '""'])
    t.is(
      (await post(t.context, makers.admin, `/${id}/versions`, { document: TEXT }, { 'If-Match': header })).status,
      400,
    );
  const any = await Promise.all(
    ['Three', 'Four'].map((name) =>
      post(t.context, makers.admin, `/${id}/versions`, { document: titled(name) }, { 'If-Match': '*' }),
    ),
  );
  t.deepEqual(
    any.map(({ status }) => status),
    [201, 201],
  );
});

test('an Idempotency-Key creates one project, also at the same time', async (t) => {
  const { makers } = t.context;
  const headers = { 'Idempotency-Key': 'project-once' };
  const body = { document: withLogo(LOGO, 'Once') };
  const both = await Promise.all([1, 2].map(() => post(t.context, makers.service, '', body, headers)));
  t.deepEqual(
    both.map(({ status }) => status),
    [201, 201],
  );
  const [first, second] = both;
  t.deepEqual(first?.body, second?.body);
  t.deepEqual((await post(t.context, makers.member, '', body, headers)).status, 201, 'another key of the account');
  t.is((await post(t.context, makers.service, '', { document: titled('Other') }, headers)).status, 422);
  t.is((await post(t.context, makers.both, '', { ...body, team_id: 'team_3' }, headers)).status, 422);
  const theirs = await post(t.context, makers.theirs, '', body, headers);
  t.not(Object(theirs.body).id, Object(first?.body).id, 'another account has keys of its own');
  const id = Object(first?.body).id;
  t.is((await post(t.context, makers.service, `/${id}/erase`, {})).status, 200);
  t.is((await post(t.context, makers.service, '', body, headers)).status, 422, 'its project is erased');
});

test('a project that was created without its version gets it from the repeat', async (t) => {
  const { clients, makers } = t.context;
  const headers = { 'Idempotency-Key': 'interrupted' };
  const digits = createHmac('sha256', t.context.stack.env.IDEMPOTENCY_SECRET ?? '')
    .update('project\0acc_1\0interrupted')
    .digest('hex');
  const project_id = `proj_${digits.slice(0, 32)}`;
  await appendToCatalogue(clients.records, [
    {
      ...{ type: 'ProjectCreated', rules: 0, meta, project_id, team_id: 'team_1', name: TEXT.name },
      ...{ created_by: null, payload: null },
    },
  ]);
  const answer = await post(t.context, makers.service, '', { document: TEXT }, headers);
  t.like(answer, { status: 201, body: { id: project_id } });
  t.is(answer.headers.get('etag'), '"1"');
});

test('a copy has the document and the files, and outlives its source', async (t) => {
  const { blobs, makers } = t.context;
  const id = await create(t.context, withLogo(LOGO, 'Source'));
  const headers = { 'Idempotency-Key': 'copy-once' };
  const copied = await post(t.context, makers.service, `/${id}/copy`, { name: 'Copy' }, headers);
  t.like(copied, { status: 201, body: { name: 'Copy', team: { id: 'team_1' } } });
  t.is(idOf(await post(t.context, makers.service, `/${id}/copy`, { name: 'Copy' }, headers)), idOf(copied));
  t.is((await post(t.context, makers.service, `/${id}/copy`, { name: 'Another' }, headers)).status, 422);
  t.is((await post(t.context, makers.service, `/${id}/erase`, {})).status, 200);
  await blobs.deletePrefix(projectPrefix(id));
  t.like((await get(t.context, makers.service, `/${idOf(copied)}/versions/1`)).body, { document: { name: 'Copy' } });
  t.true(await blobs.exists(assetPath(idOf(copied), SHA256)));
  t.is((await post(t.context, makers.service, `/${id}/copy`, {})).status, 404, 'the source is erased');
  t.is((await post(t.context, makers.service, '/proj_empty/copy', {})).status, 409);
  t.is((await post(t.context, makers.service, `/${idOf(copied)}/copy`, { version: 9 })).status, 404);
  t.is((await post(t.context, makers.both, `/${idOf(copied)}/copy`, { team_id: 'team_3' })).status, 201);
  t.is((await post(t.context, makers.service, `/${idOf(copied)}/copy`, { team_id: 'team_3' })).status, 404);
});

test('only keys with scope, team and role change a project', async (t) => {
  const { keys, makers } = t.context;
  const id = await create(t.context);
  const changes: readonly (readonly [string, unknown, Headers?])[] = [
    ['', { document: TEXT, team_id: 'team_1' }],
    [`/${id}/versions`, { document: titled('Other') }, { 'If-Match': '*' }],
    [`/${id}/rename`, { name: 'Other' }],
    [`/${id}/copy`, {}],
    [`/${id}/erase`, {}],
  ];
  for (const [path, body, headers] of changes) {
    for (const key of [keys.ours, keys.userless])
      t.is((await post(t.context, key, path, body, headers)).status, 403, path);
    t.is((await post(t.context, keys.theirs, path, body, headers)).status, 403, 'the scope is checked first');
    t.is((await post(t.context, makers.theirs, path, body, headers)).status, 404, path);
    t.is((await post(t.context, keys.unknown, path, body, headers)).status, 401, path);
  }
  t.is((await post(t.context, makers.member, `/${id}/erase`, {})).status, 403, 'a member cannot erase');
  for (const path of [`/${id}/versions`, `/${id}/versions/1`, `/${id}/assets`])
    t.is((await get(t.context, keys.theirs, path)).status, 404, path);
  t.is((await get(t.context, keys.userless, `/${id}/versions`)).status, 200, 'reads need no scope');
  t.is((await post(t.context, makers.both, '', { document: TEXT })).status, 400, 'the key reaches two teams');
});

test('an erased project is gone for every request, and the erasure can be repeated', async (t) => {
  const { makers } = t.context;
  const id = await create(t.context);
  for (const _ of [1, 2])
    t.like(await post(t.context, makers.admin, `/${id}/erase`, {}), { status: 200, body: { id } });
  for (const path of [`/${id}`, `/${id}/versions`, `/${id}/versions/1`, `/${id}/assets`])
    t.is((await get(t.context, makers.service, path)).status, 404, path);
  const late = await post(t.context, makers.service, `/${id}/versions`, { document: TEXT }, { 'If-Match': '*' });
  t.is(late.status, 404);
  t.is((await post(t.context, makers.service, `/${id}/rename`, { name: 'Late' })).status, 404);
  t.is((await post(t.context, makers.service, `/${id}/erase`, { name: 'x' })).status, 200);
  t.is((await post(t.context, makers.service, `/${id}/erase`, [])).status, 400);
});
