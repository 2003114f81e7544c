import test from 'ava';
import { ask } from './_ask.ts';
import { type People, sharedWorld } from './_shared-world.ts';

let world: People;
test.before(async (t) => {
  t.timeout(180_000);
  world = await sharedWorld();
});

const documentOf = (name: string) => ({
  name,
  main_composition_id: 'comp_main',
  compositions: [
    {
      ...{ id: 'comp_main', width: 640, height: 360, fps: 30, duration: 2 },
      layers: [{ id: 'title', type: 'text', text: 'Only this week', x: 40, y: 130, width: 560, height: 100 }],
    },
  ],
});

const projects = () => `/teams/${world.team_id}/projects`;

test('a member creates a project, adds a version, renames and copies it', async (t) => {
  const headers = { 'Idempotency-Key': 'made-by-mia' };
  const body = { document: documentOf('By a person') };
  const both = await Promise.all([1, 2].map(() => ask(world, world.as.mia, 'POST', projects(), body, headers)));
  t.deepEqual(
    both.map(({ status }) => status),
    [201, 201],
  );
  const id = both[0]?.body.id;
  t.is(both[1]?.body.id, id);
  t.like(both[0]?.body, { name: 'By a person', created_by: 'user_mia' });
  t.is((await ask(world, world.as.mia, 'POST', projects(), { document: documentOf('Other') }, headers)).status, 422);

  const path = `${projects()}/${id}`;
  const second = { document: documentOf('Second') };
  const added = await ask(world, world.as.ada, 'POST', `${path}/versions`, second, { 'If-Match': '"1"' });
  t.like(added, { status: 201, body: { version: 2, added_by: 'user_ada' } });
  const late = await ask(world, world.as.mia, 'POST', `${path}/versions`, body, { 'If-Match': '"1"' });
  t.like(late, { status: 412, body: { version: 2, changed_by: 'user_ada' } });
  t.is((await ask(world, world.as.mia, 'POST', `${path}/versions`, body)).status, 428);

  t.like(await ask(world, world.as.mia, 'POST', `${path}/rename`, { name: 'Third' }), { body: { name: 'Third' } });
  const listed = await ask(world, world.as.mia, 'GET', `${path}/versions?limit=2`);
  t.like(listed.body, { data: { 0: { version: 3, added_by: 'user_mia' }, 1: { version: 2 } }, has_more: true });
  t.like(await ask(world, world.as.mia, 'GET', `${path}/versions/2`), { body: { document: { name: 'Second' } } });
  t.deepEqual((await ask(world, world.as.mia, 'GET', `${path}/assets`)).body, { data: [] });
  const copied = await ask(world, world.as.mia, 'POST', `${path}/copy`, { version: 1 });
  t.like(copied, { status: 201, body: { name: 'By a person' } });
  const audit = await ask(world, world.as.ada, 'GET', `/teams/${world.team_id}/audit?kind=ProjectCreated&limit=60`);
  const entries: readonly unknown[] = Array.isArray(audit.body.data) ? audit.body.data : [];
  t.true(entries.some((entry) => Object(entry).ids.project_id === copied.body.id));
});

test('a document with faults is refused with all of them', async (t) => {
  const document = { ...documentOf('Faulty'), assets: [{ id: 'logo', kind: 'image', file: 'logo.png' }], more: 1 };
  const { status, body } = await ask(world, world.as.mia, 'POST', projects(), { document });
  t.is(status, 400);
  const faults: readonly unknown[] = Array.isArray(body.faults) ? body.faults : [];
  t.deepEqual(faults.map((fault) => Object(fault).path).sort(), ['assets[0].file', 'more']);
});

test('a member checks a document, which changes nothing', async (t) => {
  const check = (body: unknown, who = world.as.mia) => ask(world, who, 'POST', `${projects()}/check`, body);
  t.like(await check({ document: documentOf('Checked') }), { status: 200, body: { valid: true, frames: 60 } });
  const faulty = { ...documentOf('Faulty'), more: 1 };
  t.like(await check({ document: faulty }), { status: 200, body: { valid: false, faults: { 0: { path: 'more' } } } });
  t.is((await check({ project_id: 'proj_none' })).status, 404);
  t.is((await check({})).status, 400);
  t.is((await check({ document: documentOf('Theirs') }, world.as.eve)).status, 404);
});

test('people outside of the team get 404 for each change of a project', async (t) => {
  const { body } = await ask(world, world.as.mia, 'POST', projects(), { document: documentOf('Ours') });
  const path = `${projects()}/${body.id}`;
  const second = { document: documentOf('Theirs') };
  for (const [change, wanted, headers] of [
    ['/versions', second, { 'If-Match': '*' }],
    ['/rename', { name: 'Theirs' }, {}],
    ['/copy', {}, {}],
  ] as const)
    t.is((await ask(world, world.as.eve, 'POST', `${path}${change}`, wanted, headers)).status, 404, change);
  t.is((await ask(world, world.as.eve, 'POST', projects(), second)).status, 404);
  for (const read of ['/versions', '/versions/1', '/assets'])
    t.is((await ask(world, world.as.eve, 'GET', `${path}${read}`)).status, 404, read);
  const of_eve = `/teams/${world.eves.team_id}/projects/${body.id}`;
  t.is((await ask(world, world.as.eve, 'POST', `${of_eve}/rename`, { name: 'Theirs' })).status, 404);
  t.is((await ask(world, world.as.eve, 'GET', `${of_eve}/versions`)).status, 404);
});
