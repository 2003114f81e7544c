import test from 'ava';
import sharp from 'sharp';
import { ask } from './_ask.ts';
import { type People, sharedWorld } from './_shared-world.ts';

let world: People;
test.before(async (t) => {
  t.timeout(450_000);
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

test('a member creates a project from a starter, with its files', async (t) => {
  const starters = await ask(world, world.as.mia, 'GET', `/teams/${world.team_id}/starters`);
  t.like(starters.body, { data: { 0: { id: 'promo', name: 'Promo', width: 1080 } } });
  const created = await ask(world, world.as.mia, 'POST', projects(), { starter: 'quote-card' });
  t.like(created, { status: 201, body: { name: 'Quote card', version: 1 } });
  const assets = await ask(world, world.as.mia, 'GET', `${projects()}/${created.body.id}/assets`);
  t.like(assets.body, { data: { 0: { kind: 'font', file_name: 'dm-serif-display.ttf' } } });
  const unknown = await ask(world, world.as.mia, 'POST', projects(), { starter: 'poster' });
  t.like(unknown, { status: 400, body: { code: 'invalid_field', param: 'starter' } });
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

test('a member checks several rows of values, each as if alone', async (t) => {
  const { as, eves } = world;
  const { body: created } = await ask(world, as.mia, 'POST', projects(), { document: colored });
  const batch = { project_id: created.id, template_id: 'tpl_color' };
  const values = [{ late: '#0000FF' }, { late: 'blue' }, { late: [] }];
  const rows = values.map((one) => ({ values: one }));
  const check = (body: object, who = as.mia, team_id = world.team_id) =>
    ask(world, who, 'POST', `/teams/${team_id}/projects/check/batch`, body);
  const { status, body } = await check({ ...batch, rows });
  t.is(status, 200, JSON.stringify(body));
  const alone = values
    .slice(0, 2)
    .map((one) => ask(world, as.mia, 'POST', `${projects()}/check`, { ...batch, values: one }));
  const checked = Object(body.data);
  // Only the check of one film has the times of its layers.
  t.deepEqual(
    checked.slice(0, 2),
    (await Promise.all(alone)).map(({ body: one }) => ({ ...Object(one), layers: null })),
  );
  t.like(checked[2], { valid: false, faults: { 0: { path: 'values.late' } } });
  t.like(await check({ ...batch, rows: [] }), { status: 400, body: { param: 'rows' } });
  t.is((await check({ ...batch, rows }, as.eve)).status, 404);
  t.like(await check({ ...batch, rows }, as.eve, eves.team_id), { status: 404, body: { param: 'project_id' } });
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

/** Red, then green after one second, with a template that changes the colour of the background. */
const colored = {
  ...{ name: 'Colours', main_composition_id: 'comp_main' },
  compositions: [
    {
      ...{ id: 'comp_main', width: 320, height: 180, fps: 30, duration: 2, background: '#FF0000' },
      layers: [{ id: 'late', type: 'shape', x: 0, y: 0, width: 320, height: 180, color: '#00FF00', start: 1 }],
    },
  ],
  templates: [
    {
      ...{ id: 'tpl_color', name: 'Colour', target_composition_id: 'comp_main' },
      fields: [{ key: 'late', kind: 'color', default_value: '#00FF00', target: { layer: 'late', property: 'color' } }],
    },
  ],
};

test('a member draws a frame of a project with values, or of a document', async (t) => {
  const { manage, origin, as } = world;
  const { body: created } = await ask(world, as.mia, 'POST', projects(), { document: colored });
  const stills = `${manage}/teams/${world.team_id}/stills`;
  const headers = { Origin: origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' };
  const drawn = async (body: object) => {
    const answer = await as.mia.ask(stills, { method: 'POST', body: JSON.stringify(body), headers });
    const bytes = Buffer.from(await answer.arrayBuffer());
    t.is(answer.status, 200, bytes.toString());
    const { width, height, format } = await sharp(bytes).metadata();
    const { dominant } = await sharp(bytes).stats();
    return { type: answer.headers.get('content-type'), format, width, height, dominant };
  };
  const at = { project_id: created.id, template_id: 'tpl_color', values: { late: '#0000FF' } };
  const [red, blue, green] = await Promise.all([
    drawn({ ...at, time_s: 0.5 }),
    drawn({ ...at, time_s: 1.5, width: 160, format: 'webp' }),
    drawn({ project: colored, time_s: 1.5 }),
  ]);
  t.like(red, { type: 'image/jpeg', format: 'jpeg', width: 320, height: 180 });
  t.like(blue, { type: 'image/webp', format: 'webp', width: 160, height: 90 });
  t.true(red.dominant.r > 200 && red.dominant.b < 60, JSON.stringify(red));
  t.true(blue.dominant.b > 200 && blue.dominant.r < 60, JSON.stringify(blue));
  t.true(green.dominant.g > 200 && green.dominant.r < 60, JSON.stringify(green));

  const refused = (body: object, browser = as.mia) =>
    ask(world, browser, 'POST', `/teams/${world.team_id}/stills`, body);
  const { id: project_id } = created;
  t.like(await refused({ ...at, values: { late: 'blue' } }), { status: 400, body: { param: 'values.late' } });
  t.like(await refused({ project_id, time_s: 2 }), { status: 400, body: { param: 'time_s' } });
  t.like(await refused({ project_id, project: colored }), { status: 400, body: { param: 'project' } });
  t.like(await refused({ project: { ...colored, compositions: [] } }), { body: { code: 'invalid_document' } });
  t.like(await refused({ project_id }, as.eve), { status: 404 });
  const others = await ask(world, as.eve, 'POST', `/teams/${world.eves.team_id}/stills`, { project_id });
  t.like(others, { status: 404, body: { param: 'project_id' } });
});
