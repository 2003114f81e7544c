import anyTest, { type TestFn } from 'ava';
import { pollUntil } from '../../../stack/testing/until.ts';
import { appendToCatalogue, issued, meta, newKey } from './_catalogue.ts';
import { postChange } from './_changes.ts';
import { type Answer, bearer, idOf, send } from './_client.ts';
import { startWorld, type World } from './_world.ts';

const test = anyTest as TestFn<World & { readonly maker: string; readonly both: string }>;

const documentOf = (text: string) => ({
  name: `Film of ${text}`,
  main_composition_id: 'comp_main',
  compositions: [
    {
      ...{ id: 'comp_main', width: 640, height: 360, fps: 30, duration: 2 },
      layers: [{ id: 'title', type: 'text', text, x: 40, y: 130, width: 560, height: 100 }],
    },
  ],
  templates: [
    {
      ...{ id: 'tpl_title', name: 'Title', target_composition_id: 'comp_main' },
      fields: [
        { key: 'size', kind: 'number', default_value: '48', target: { layer: 'title', property: 'font_size' } },
        { key: 'headline', kind: 'text', default_value: 'Hi', target: { layer: 'title', property: 'text' } },
      ],
    },
  ],
});

test.before(async (t) => {
  t.timeout(360_000);
  const world = await startWorld();
  const [maker, both] = [newKey(), newKey()];
  await appendToCatalogue(world.clients.records, [
    { type: 'TeamCreated', rules: 0, meta, team_id: 'team_3', account_id: 'acc_1', name: 'Third' },
    issued('key_maker', maker, { scopes: ['projects:write'] }),
    issued('key_both', both, { scopes: ['projects:write'], team_ids: ['team_1', 'team_3'] }),
  ]);
  t.context = { ...world, maker: maker.key, both: both.key };
  await pollUntil('the keys are folded', async () => {
    return (await send(`${world.reads}/teams`, { headers: bearer(both.key) })).status === 200;
  });
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.stop?.();
});

const get = ({ reads }: World, key: string, path: string): Promise<Answer> =>
  send(`${reads}/${path}`, { headers: bearer(key) });

const projectOf = ({ body }: Answer): string => String(Object(Object(body).project).id);

test('a render of a document has a project, which the same document finds again', async (t) => {
  const { maker } = t.context;
  const project = documentOf('one');
  const made = await Promise.all([1, 2].map(() => postChange(t.context, maker, 'renders', { name: 'First', project })));
  t.deepEqual(
    made.map(({ status }) => status),
    [201, 201],
  );
  const [first, second] = made;
  const id = first === undefined ? '' : projectOf(first);
  t.regex(id, /^proj_inline_[0-9a-f]{32}$/);
  t.is(second === undefined ? '' : projectOf(second), id);
  t.not(idOf(first as Answer), idOf(second as Answer));
  const reordered = Object.fromEntries(Object.entries(project).toReversed());
  const again = await postChange(t.context, maker, 'renders', {
    ...{ name: 'Again', project: reordered, template_id: 'tpl_title', values: { headline: 'Other' } },
  });
  t.is(projectOf(again), id, 'the order of members does not count');
  t.not(projectOf(await postChange(t.context, maker, 'renders', { name: 'Other', project: documentOf('two') })), id);

  t.like((await get(t.context, maker, `projects/${id}`)).body, { id, name: 'Film of one', team: { id: 'team_1' } });
  t.like((await get(t.context, maker, `projects/${id}/versions`)).body, { data: { length: 1 } });
  const listed = await get(t.context, maker, 'projects?team_id=team_1&limit=60');
  const searched = await get(t.context, maker, 'projects?team_id=team_1&search=film');
  for (const { body } of [listed, searched])
    t.false(
      Object(body).data.some((one: unknown) => Object(one).id === id),
      'no list has it',
    );
  await pollUntil('its renders are listed', async () => {
    return Object((await get(t.context, maker, `renders?project_id=${id}`)).body).data.length === 3;
  });
});

test('a repeat with an Idempotency-Key returns the render of the document', async (t) => {
  const { maker } = t.context;
  const headers = { 'Idempotency-Key': 'inline-once' };
  const body = { name: 'Once', project: documentOf('once') };
  const first = await postChange(t.context, maker, 'renders', body, headers);
  t.is(first.status, 201);
  t.is(idOf(await postChange(t.context, maker, 'renders', body, headers)), idOf(first));
  t.is((await postChange(t.context, maker, 'renders', { ...body, project: documentOf('x') }, headers)).status, 422);
});

test('an erased document can be rendered again, as another project', async (t) => {
  const { maker } = t.context;
  const body = { name: 'Erased', project: documentOf('erased') };
  const before = projectOf(await postChange(t.context, maker, 'renders', body));
  t.is((await postChange(t.context, maker, `projects/${before}/erase`, {})).status, 200);
  const after = projectOf(await postChange(t.context, maker, 'renders', body));
  t.not(after, before);
  t.is(projectOf(await postChange(t.context, maker, 'renders', body)), after);
});

test('a refused request with a document creates no project', async (t) => {
  const { keys, maker, both } = t.context;
  const project = documentOf('refused');
  const faulty = { ...project, main_composition_id: 'none', assets: [{ id: 'a', kind: 'image', file: 'a.png' }] };
  const wrong = await postChange(t.context, maker, 'renders', { name: 'Wrong', project: faulty });
  t.is(wrong.status, 400);
  const paths = Object(wrong.body).faults.map((fault: unknown) => Object(fault).path);
  t.true(paths.includes('main_composition_id') && paths.includes('assets[0].file'), paths.join(' '));
  t.regex(String(Object(wrong.body).error), /^project\./);
  const cases: readonly (readonly [number, string, object])[] = [
    [403, keys.ours, { name: 'No scope', project }],
    [400, maker, { name: '', project }],
    [400, maker, { name: 'Two', project, project_id: 'proj_1' }],
    [400, maker, { name: 'None' }],
    [400, maker, { name: 'Value', project, template_id: 'tpl_title', values: { size: 'large' } }],
    [404, maker, { name: 'Template', project, template_id: 'tpl_none' }],
    [400, both, { name: 'Which team', project }],
    [404, maker, { name: 'Their team', project, team_id: 'team_2' }],
    [400, maker, { name: 'Deep', project: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) }],
  ];
  for (const [status, key, body] of cases)
    t.is((await postChange(t.context, key, 'renders', body)).status, status, JSON.stringify(body).slice(0, 80));
  const created = await postChange(t.context, both, 'renders', { name: 'Third', project, team_id: 'team_3' });
  t.like(created, { status: 201, body: { project: { team: 'team_3' } } });
  t.is(
    (await get(t.context, maker, `projects/${projectOf(created)}`)).status,
    404,
    'a team that the key does not reach',
  );
});

test('a check returns faults, warnings, frames and the price, and changes nothing', async (t) => {
  const { keys } = t.context;
  const document = documentOf('checked');
  t.deepEqual((await postChange(t.context, keys.ours, 'projects/check', { document })).body, {
    ...{ valid: true, faults: [], warnings: [], frames: 60, duration_s: 2, price_credits: 1 },
    layers: [{ id: 'title', start_s: 0, end_s: 2 }],
  });
  const [composition] = document.compositions;
  const [title] = composition?.layers ?? [];
  const layers = [
    { ...title, duration: 1 },
    { ...title, id: 'second', start: { after: 'title', offset: 0.5 }, duration: 1 },
  ];
  const followed = { ...document, compositions: [{ ...composition, duration: 'auto', layers }] };
  t.like((await postChange(t.context, keys.ours, 'projects/check', { document: followed })).body, {
    ...{ valid: true, frames: 75, duration_s: 2.5 },
    layers: [
      { id: 'title', start_s: 0, end_s: 1 },
      { id: 'second', start_s: 1.5, end_s: 2.5 },
    ],
  });
  const faulty = { ...document, main_composition_id: 'none', assets: [{ id: 'a', kind: 'image', file: 'a.png' }] };
  const refused = await postChange(t.context, keys.ours, 'projects/check', { document: faulty });
  t.like(refused.body, { valid: false, frames: null, price_credits: null });
  t.deepEqual(
    Object(refused.body)
      .faults.map((fault: unknown) => Object(fault).path)
      .sort(),
    ['assets[0].file', 'main_composition_id'],
  );
  const values = { size: 'large', headlin: 'x', headline: '\u0000' };
  const checked = await postChange(t.context, keys.ours, 'projects/check', {
    document,
    template_id: 'tpl_title',
    values,
  });
  t.deepEqual(
    Object(checked.body)
      .faults.map((fault: unknown) => Object(fault).path)
      .sort(),
    ['values.headline', 'values.size'],
  );
  t.like(checked.body, { warnings: { 0: { path: 'values.headlin' }, length: 1 } });
  t.like((await postChange(t.context, keys.ours, 'projects/check', { project_id: 'proj_1' })).body, { valid: true });
  for (const [status, body] of [
    [400, {}],
    [400, { document, project_id: 'proj_1' }],
    [400, { project_id: 'proj_empty' }],
    [404, { project_id: 'proj_2' }],
  ] as const)
    t.is(
      (await postChange(t.context, keys.ours, 'projects/check', body)).status,
      status,
      JSON.stringify(body).slice(0, 40),
    );
});
