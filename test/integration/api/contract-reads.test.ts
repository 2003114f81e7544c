import anyTest, { type TestFn } from 'ava';
import { ulid } from 'ulid';
import { renderId } from '../../../domain/render/render-id.ts';
import { COLLECTIONS } from '../../../read-models/collections.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { assigned, completed, failed, finished, master, prepared, progressed } from '../../helpers/render-events.ts';
import { appendToCatalogue, meta, versionOf } from './_catalogue.ts';
import { type Answer, errorOf, idOf, postJson, send } from './_client.ts';
import { append, untilStatus } from './_life.ts';
import { addShowcase, type ShowcaseKeys } from './_showcase.ts';
import { get, PLAIN, post, startWorld, type World } from './_world.ts';

// Every GET except the lists: each row of its table, each of its rules and its decisions.
const test = anyTest as TestFn<World & { readonly showcase: ShowcaseKeys }>;

test.before(async (t) => {
  t.timeout(360_000);
  const world = await startWorld({ env: { RENDER_TYPE: 'cloud' } });
  t.context = { ...world, showcase: await addShowcase(world) };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.stop?.();
});

const body = async (world: World, path: string, key = world.keys.ours) => Object((await get(world, path, key)).body);

const stored = async ({ blobs }: World, path: string, text: string, content_type = 'video/mp4') =>
  (await blobs.putPayload(path, Buffer.from(text), content_type)).path;

const parameterOf = (url: string, name: string): string => new URL(url).searchParams.get(name) ?? '';

test('a render reads back as it was created', async (t) => {
  const created = await post(t.context, PLAIN);
  const id = idOf(created);
  const read = await get(t.context, `renders/${id}`);
  t.is(read.status, 200);
  t.deepEqual(read.body, created.body);
  t.is(Object(read.body).type, 'cloud');
  t.is(read.headers.get('link'), `</v1/renders/${id}/transitions>; rel="describedby"`);
  const { created_at } = Object(created.body);
  const transitions = await get(t.context, `renders/${id}/transitions`);
  t.deepEqual(transitions.body, { data: [{ seq: 1, status: 'initializing', at: created_at, attempt: null }] });
});

test('a render passes its statuses with updated_at, and has output once complete', async (t) => {
  const created = await post(t.context, PLAIN);
  const id = idOf(created);
  const life = [
    ['ready', prepared],
    ['queued', assigned('att_1', 1)],
    ['processing', progressed('att_1')],
    ['finalizing', finished('att_1')],
    ['complete', completed('att_1')],
  ] as const;
  for (const [status, event] of life) {
    await append(t.context, id, [event]);
    const render = Object((await untilStatus(t.context, id, status)).body);
    const { data } = await body(t.context, `renders/${id}/transitions`);
    const { updated_at, output, progress, ...rest } = render;
    t.is(progress, render.status === 'processing' ? 10 / 300 : undefined);
    t.deepEqual({ ...rest, status: 'initializing', updated_at: null }, created.body, status);
    t.is(updated_at, data.at(-1).at);
    t.deepEqual(Object.keys(output ?? {}), status === 'complete' ? ['master'] : []);
    t.is('output' in render, status === 'complete');
  }
  const { data } = await body(t.context, `renders/${id}/transitions`);
  t.deepEqual(
    data.map(({ seq, status, attempt }: Record<string, unknown>) => [seq, status, attempt]),
    [
      [1, 'initializing', null],
      [2, 'ready', null],
      [3, 'queued', 1],
      [4, 'processing', 1],
      [5, 'finalizing', 1],
      [6, 'complete', 1],
    ],
  );
  t.deepEqual([...new Set(data.flatMap(Object.keys))].sort(), ['at', 'attempt', 'seq', 'status']);
});

test('each read gives fresh URLs for every variant, valid for a day', async (t) => {
  const id = idOf(await post(t.context, { ...PLAIN, name: 'Größe "1"/2 🎬' }));
  const outputs = await Promise.all(
    ['master', 'small', 'tiny'].map(async (variant) => ({
      ...master,
      variant,
      path: await stored(t.context, `renders/${id}/a/${variant}.mp4`, `a ${variant} video`),
    })),
  );
  await append(t.context, id, [prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1')]);
  await append(t.context, id, [{ ...completed('att_1'), outputs }]);
  const { output } = Object((await untilStatus(t.context, id, 'complete')).body);
  t.deepEqual(Object.keys(output), ['master', 'small', 'tiny']);
  for (const [variant, url] of Object.entries<string>(output)) {
    const video = await fetch(url);
    t.is(await video.text(), `a ${variant} video`);
    t.is(video.headers.get('content-type'), 'video/mp4');
    const name = video.headers.get('content-disposition') ?? '';
    t.true(
      name.includes(encodeURIComponent(variant === 'master' ? 'Größe' : `(${variant})`)) || name.includes(variant),
    );
    t.deepEqual([parameterOf(url, 'sp'), parameterOf(url, 'sr')], ['r', 'b'], 'for reading one blob');
    const [from, to] = [Date.parse(parameterOf(url, 'st')), Date.parse(parameterOf(url, 'se'))];
    const about = (ms: number, expected: number) => Math.abs(ms - expected) < 60_000;
    t.true(about(from, Date.now() - 5 * 60_000) && about(to, Date.now() + 24 * 3_600_000), url);
    t.is((await fetch(url, { method: 'DELETE' })).status, 403);
  }
  t.is((await fetch(output.master.replace('master', 'small'))).status, 403);
  const again = await pollUntil('a read a second later', async () => {
    const { master: url } = (await body(t.context, `renders/${id}`)).output;
    return url === output.master ? null : url;
  });
  t.true(Date.parse(parameterOf(again, 'se')) > Date.parse(parameterOf(output.master, 'se')));
  t.is((await fetch(again)).status, 200);
});

test('a processed render, its last transition and its list show its progress', async (t) => {
  const id = idOf(await post(t.context, PLAIN));
  await append(t.context, id, [prepared, assigned('att_1', 1), progressed('att_1')]);
  await untilStatus(t.context, id, 'processing');
  const last = async () => (await body(t.context, `renders/${id}/transitions`)).data.at(-1);
  const shown = async () => {
    const { data } = await body(t.context, `renders?project_id=${PLAIN.project_id}&status=processing&limit=60`);
    const listed = data.find((one: { readonly id: string }) => one.id === id);
    return [(await body(t.context, `renders/${id}`)).progress, listed.progress];
  };
  t.like(await last(), { seq: 4, status: 'processing', attempt: 1, progress: 10 / 300 });
  t.deepEqual(await shown(), [10 / 300, 10 / 300]);
  const live = t.context.clients.store.db.collection<{ _id: string }>(COLLECTIONS.live_progress);
  await live.replaceOne(
    { _id: id },
    { attempt_id: 'att_1', frames_done: 150, frames_total: 300, stage: 'rendering', at: new Date() },
    { upsert: true },
  );
  t.deepEqual(Object.keys(await last()), ['seq', 'status', 'at', 'attempt', 'progress']);
  t.is((await last()).progress, 0.5);
  t.deepEqual(await shown(), [0.5, 0.5]);
});

test('a failed render shows its reason, in its history too', async (t) => {
  const created = await post(t.context, PLAIN);
  const id = idOf(created);
  await append(t.context, id, [failed('preparer:p', null)]);
  const render = Object((await untilStatus(t.context, id, 'failed')).body);
  const { data } = await body(t.context, `renders/${id}/transitions`);
  const failure = {
    stage: 'rendering',
    code: 'font_unknown',
    message: 'layers[2].font_family: there is no such font',
    field: 'layers[2].font_family',
  };
  t.deepEqual(data.at(-1), { seq: 2, status: 'failed', at: render.updated_at, attempt: null, failure });
  t.deepEqual(render, { ...Object(created.body), status: 'failed', updated_at: render.updated_at, failure });
});

test('a render that fails in any later state has no output either', async (t) => {
  const states = [
    [prepared],
    [prepared, assigned('att_1', 1)],
    [prepared, assigned('att_1', 1), progressed('att_1')],
    [prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1')],
  ];
  for (const events of states) {
    const id = idOf(await post(t.context, PLAIN));
    const by = events.length === 1 ? failed('dispatcher:d', null) : failed('worker:wkr_1', 'att_1');
    await append(t.context, id, [...events, by]);
    const render = Object((await untilStatus(t.context, id, 'failed')).body);
    t.false('output' in render);
    const { data } = await body(t.context, `renders/${id}/transitions`);
    t.is(data.length, events.length + 2);
    t.is(data.at(-1).attempt, events.length === 1 ? null : 1);
  }
});

test('an id that was never issued is not found at once', async (t) => {
  await pollUntil('the projector has stored its progress', async () => {
    return (await get(t.context, `renders/${renderId(ulid(Date.now() - 600_000))}`)).status === 404;
  });
  const ids = [
    'rend_1',
    'nonsense',
    `${'x'.repeat(400)}`,
    renderId(ulid(Date.now() - 3_600_000)),
    renderId(ulid(Date.now() + 120_000)),
    renderId(`0000000000${ulid().slice(10)}`),
    renderId(ulid().toLowerCase()),
    '%00',
    'rend_01JD0000000000000000000001%2Ftransitions',
  ];
  for (const id of ids) {
    for (const path of [`renders/${id}`, `renders/${id}/transitions`]) {
      // Retries: if the API waited, every request would take two seconds, but a busy machine is slow only sometimes.
      await pollUntil(`${path} is answered at once`, async () => {
        const began = Date.now();
        const answer = await get(t.context, path);
        t.deepEqual([answer.status, errorOf(answer)], [404, 'there is no such render'], path);
        return Date.now() - began < 1_000;
      });
    }
  }
});

test('a GET right after POST is never "not found", in 200 tries', async (t) => {
  t.timeout(240_000);
  const statuses: number[] = [];
  const one = async () => {
    for (let i = 0; i < 25; i += 1) {
      const id = idOf(await post(t.context, PLAIN));
      statuses.push((await get(t.context, `renders/${id}`)).status);
    }
  };
  await Promise.all(Array.from({ length: 8 }, one));
  t.is(statuses.length, 200);
  t.deepEqual([...new Set(statuses)], [200]);
});

const SUMMARIES = [
  {
    id: 'tpl_m',
    name: 'Main',
    description: 'All of it',
    project_id: 'proj_card',
    target_composition_id: 'comp_main',
    field_count: 4,
  },
  {
    id: 'tpl_z',
    name: 'Zebra',
    description: null,
    project_id: 'proj_card',
    target_composition_id: 'comp_teaser',
    field_count: 1,
  },
  {
    id: 'tpl_a',
    name: 'Alpha',
    description: null,
    project_id: 'proj_card',
    target_composition_id: 'comp_teaser',
    field_count: 0,
  },
];

test("the list has all templates of a project in the project's order", async (t) => {
  t.deepEqual(await body(t.context, 'templates?project_id=proj_card'), { data: SUMMARIES });
  t.deepEqual(await body(t.context, 'templates?project_id=proj_empty'), { data: [] });
});

test('a template has every field, with its form data and its default as text', async (t) => {
  const read = (id: string) => body(t.context, `templates/${id}?project_id=proj_card`);
  const plain = { label: null, description: null };
  t.deepEqual(await read('tpl_m'), {
    ...SUMMARIES[0],
    fields: [
      {
        key: 'headline',
        label: 'Headline',
        description: 'Two lines at most',
        kind: 'text',
        widget: 'textarea',
        default_value: 'By default',
      },
      { key: 'size', ...plain, kind: 'number', widget: 'slider', default_value: '64' },
      { key: 'accent', ...plain, kind: 'color', widget: null, default_value: '#FF0000' },
      { key: 'bar', ...plain, kind: 'toggle', widget: 'switch', default_value: 'true' },
    ],
  });
  t.is((await read('tpl_z')).fields.length, 1);
  t.deepEqual((await read('tpl_a')).fields, []);
  const { data } = await body(t.context, 'templates?project_id=proj_1');
  const sale = await body(t.context, 'templates/tpl_sale?project_id=proj_1');
  t.deepEqual(
    data,
    [{ ...sale, fields: undefined }].map(({ fields: _, ...summary }) => summary),
  );
  t.is(sale.fields.find(({ kind }: { kind: string }) => kind === 'image').widget, 'file');
});

test('a project has its team and author, and null for absent changes and stills', async (t) => {
  const { created_at: empty_at, ...empty } = await body(t.context, 'projects/proj_empty');
  t.deepEqual(empty, {
    id: 'proj_empty',
    name: 'Empty',
    team: { id: 'team_1', name: 'Studio' },
    created_by: null,
    thumbnail_url: null,
    updated_at: null,
  });
  t.true(Number.isInteger(empty_at) && Math.abs(empty_at - Date.now()) < 600_000, 'milliseconds since the epoch');
  const { created_at, updated_at, ...sale } = await body(t.context, 'projects/proj_1');
  t.like(sale, { id: 'proj_1', name: 'Sale of proj_1', created_by: 'user_1' });
  t.true(Number.isInteger(updated_at) && updated_at >= created_at);
});

test('a change of a project appears in it and in its templates', async (t) => {
  const { clients } = t.context;
  const created = {
    type: 'ProjectCreated',
    rules: 0,
    meta,
    team_id: 'team_1',
    name: 'New',
    created_by: 'user_plain',
    payload: null,
  } as const;
  await appendToCatalogue(clients.records, [{ ...created, project_id: 'proj_changing' }]);
  const before = await pollUntil('the change is visible', async () => {
    const answer = await get(t.context, 'projects/proj_changing');
    return answer.status === 200 ? Object(answer.body) : null;
  });
  await appendToCatalogue(clients.records, [versionOf('proj_changing', 1, 'Changed')]);
  const after = await pollUntil('the change is visible', async () => {
    const now = await body(t.context, 'projects/proj_changing');
    return now.name === 'Changed' ? now : null;
  });
  t.is(before.updated_at, null);
  t.true(after.updated_at >= before.created_at);
  t.deepEqual(after, { ...before, name: 'Changed', updated_at: after.updated_at });
  t.is((await body(t.context, 'templates?project_id=proj_changing')).data.length, 1);
});

test("the list of teams has the key's teams with its user's role", async (t) => {
  const { keys, showcase } = t.context;
  const teams = async (key: string) => (await body(t.context, 'teams', key)).data;
  const { created_at } = (await teams(keys.ours))[0];
  const team = { id: 'team_1', name: 'Studio', account_id: 'acc_1', role: 'admin', created_at };
  t.true(Number.isInteger(created_at));
  t.deepEqual(await body(t.context, 'teams'), { data: [team] });
  t.deepEqual(await teams(showcase.member), [{ ...team, role: 'member' }]);
  t.deepEqual(await teams(keys.userless), [{ ...team, role: null }]);
  t.deepEqual(await teams(showcase.removed), []);
  t.deepEqual(await body(t.context, 'teams/team_1'), team);
  t.is((await body(t.context, 'teams/team_1', keys.userless)).role, null);
});

test('the list of users has the members of an accessible team, earliest member first', async (t) => {
  const { data, ...envelope } = await body(t.context, 'users?team_id=team_1');
  t.deepEqual(envelope, {}, 'an unpaged list has only data');
  const [first, second] = data;
  const times = [first, second].map(({ created_at, joined_at }) => ({ created_at, joined_at }));
  t.deepEqual(data, [
    { id: 'user_1', email: 'ada@example.com', role: 'admin', ...times[0] },
    { id: 'user_plain', email: null, role: 'member', ...times[1] },
  ]);
  t.true(times.every(({ created_at, joined_at }) => created_at <= joined_at && Number.isInteger(created_at)));
  for (const { role: _role, joined_at: _joined_at, ...user } of data) {
    t.deepEqual(await body(t.context, `users/${user.id}`), user);
    t.deepEqual(await body(t.context, `users/${user.id}`, t.context.keys.userless), user);
  }
});

test('a missing query parameter is named, and a missing resource is "not found"', async (t) => {
  const answers: readonly (readonly [string, number, string])[] = [
    ['templates', 400, 'project_id: is required, as a query parameter'],
    ['templates?project_id=', 400, 'project_id: must be at least 1 character'],
    ['templates/tpl_m', 400, 'project_id: is required, as a query parameter'],
    ['templates/tpl_m?project_id=', 400, 'project_id: must be at least 1 character'],
    ['templates?team_id=team_1', 400, 'project_id: is required, as a query parameter'],
    ['users', 400, 'team_id: is required, as a query parameter'],
    ['users?team_id=', 400, 'team_id: must be at least 1 character'],
    ['renders', 400, 'project_id: is required, as a query parameter'],
    ['templates?project_id=proj_none', 404, 'there is no such project'],
    ['templates/tpl_m?project_id=proj_none', 404, 'there is no such project'],
    ['templates/tpl_none?project_id=proj_card', 404, 'there is no such template'],
    ['templates/tpl_sale?project_id=proj_card', 404, 'there is no such template'],
    ['templates/tpl_m?project_id=proj_empty', 404, 'there is no such template'],
    ['renders?project_id=proj_none', 404, 'there is no such project'],
    ['projects/proj_none', 404, 'there is no such project'],
    ['projects?team_id=team_none', 404, 'there is no such team'],
    ['teams/team_none', 404, 'there is no such team'],
    ['users/user_none', 404, 'there is no such user'],
    ['users/user_gone', 404, 'there is no such user'],
    ['users/user_stranger', 404, 'there is no such user'],
    ['users?team_id=team_none', 404, 'there is no such team'],
    ['nothing', 404, 'there is no /v1/nothing'],
  ];
  for (const [path, status, error] of answers) {
    const answer = await get(t.context, path);
    t.deepEqual([answer.status, errorOf(answer)], [status, error], path);
  }
  t.is((await get(t.context, 'teams/')).status, 404);
  t.is(
    (await get(t.context, 'renders//transitions')).status,
    400,
    'other clients would read it as renders/transitions',
  );
});

test('every 200 is uncacheable without ETag, and HEAD equals GET without a body', async (t) => {
  const id = idOf(await post(t.context, PLAIN));
  await get(t.context, `renders/${id}`);
  const paths = [
    `renders/${id}`,
    `renders/${id}/transitions`,
    'renders?project_id=proj_1',
    'templates?project_id=proj_card',
    'templates/tpl_m?project_id=proj_card',
    'projects',
    'projects/proj_1',
    'teams',
    'teams/team_1',
    'users?team_id=team_1',
    'users/user_1',
  ];
  const shown = ({ headers }: Answer) =>
    ['content-type', 'cache-control', 'link', 'etag', 'last-modified'].map((name) => headers.get(name));
  for (const path of paths) {
    const answer = await get(t.context, path);
    t.is(answer.status, 200, path);
    t.is(answer.headers.get('cache-control'), 'private, no-store', path);
    t.is(answer.headers.get('etag'), null, path);
    t.truthy(answer.headers.get('x-request-id'));
    const head = await get(t.context, path, t.context.keys.ours, 'HEAD');
    t.deepEqual([head.status, head.text, shown(head)], [200, '', shown(answer)], path);
  }
  const absent = await get(t.context, 'projects/proj_none', t.context.keys.ours, 'HEAD');
  t.deepEqual([absent.status, absent.text], [404, '']);
});

test('an error has a code and the name of the part at fault', async (t) => {
  const { stack, renders, keys } = t.context;
  const asked = await Promise.all(
    [
      'templates',
      'templates/tpl_none?project_id=proj_card',
      'renders/rend_none',
      'teams/x',
      'projects?cursor=x',
      'nothing',
    ].map(async (path) => (await get(t.context, path)).body),
  );
  const posted = await Promise.all(
    [{ name: 7 }, { ...PLAIN, template_id: 'tpl_none' }, { ...PLAIN, project_id: 'proj_none' }].map(
      async (wanted) => (await postJson(renders, keys.ours, wanted)).body,
    ),
  );
  const keyless = await send(`${stack.component('query-api').url}/v1/teams`, {});
  t.deepEqual(
    [...asked, ...posted, keyless.body].map((one) => [Object(one).code, Object(one).param]),
    [
      ['invalid_parameter', 'project_id'],
      ['not_found', 'template_id'],
      ['not_found', 'id'],
      ['not_found', 'id'],
      ['invalid_cursor', 'cursor'],
      ['unknown_path', undefined],
      ['invalid_field', 'name'],
      ['not_found', 'template_id'],
      ['not_found', 'project_id'],
      ['missing_api_key', 'Authorization'],
    ],
  );
});

test('unknown parameters are named in the answer, also by an error', async (t) => {
  const named = async (path: string) => (await get(t.context, path)).headers.get('ignored-parameters');
  t.is(
    await named('renders?project_id=proj_1&limit=1&created_after=1&serch=a'),
    '"created_after", "serch";did-you-mean="search"',
  );
  t.is(await named('renders?projectid=proj_1'), '"projectid";did-you-mean="project_id"');
  t.is(await named('teams?fields=name&x[]=1'), '"fields", "x%5B%5D"');
  t.is(await named('renders/rend_none?a=1&a=2'), '"a"');
  t.is(await named('renders?project_id=proj_1&limit=1'), null);
  t.is(await named('teams'), null);
});

test('unknown parameters are ignored, and the first of a repeated parameter counts', async (t) => {
  t.deepEqual(await body(t.context, 'teams/team_1?fields=name&x[]=1'), await body(t.context, 'teams/team_1'));
  t.is((await get(t.context, 'templates?project_id=proj_card&project_id=proj_none')).status, 200);
  t.is((await get(t.context, 'templates?project_id=proj_none&project_id=proj_card')).status, 404);
  t.is((await get(t.context, 'templates?project_id[]=proj_card')).status, 400);
});
