import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import type { RenderEvent, RenderRequested } from '../../../domain/render/events.ts';
import { renderId } from '../../../domain/render/render-id.ts';
import { COLLECTIONS } from '../../../schemas/read-models/collections.ts';
import { assigned, completed, failed, finished, master, prepared, progressed } from '../../helpers/render-facts.ts';
import { until } from '../../helpers/until.ts';
import { bearer, errorOf, idOf, send } from './_client.ts';
import { get, getSoon, OF_TEMPLATE, PLAIN, post, startWorld, type World } from './_world.ts';

const test = anyTest as TestFn<World>;

test.before(async (t) => {
  t.timeout(180_000);
  t.context = await startWorld();
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context.stop?.();
});

const logEnds = async ({ clients }: World) => (await clients.records.log.bounds('render-events')).map(({ end }) => end);

/** Every record of `render-events` that names this render, with the bytes it was written as. */
const factsOf = async ({ clients }: World, render_id: string) => {
  const facts: {
    readonly record: RenderEvent;
    readonly bytes: Buffer;
    readonly headers: Readonly<Record<string, string>>;
  }[] = [];
  for (const { partition, start, end } of await clients.records.log.bounds('render-events')) {
    for await (const { key, value, headers } of clients.records.log.replay('render-events', partition, start, end)) {
      if (key?.toString() !== render_id || value === null) continue;
      const decoded = await clients.records.decode(value);
      if (decoded.tag !== 'record') throw new Error(decoded.reason);
      const { record } = decoded;
      if (
        'render_id' in record &&
        record.type !== 'RenderFactAccepted' &&
        record.type !== 'StartAttempt' &&
        record.type !== 'StopAttempt'
      )
        facts.push({ record, bytes: value, headers });
    }
  }
  return facts;
};

const requestOf = async (world: World, render_id: string) => {
  const [first, ...rest] = await factsOf(world, render_id);
  if (first === undefined || first.record.type !== 'RenderRequested' || rest.length > 0)
    throw new Error('not one request');
  return { ...first, record: first.record satisfies RenderRequested };
};

const append = async ({ clients }: World, render_id: string, facts: readonly RenderEvent[]): Promise<void> => {
  for (const fact of facts) {
    const appended = await clients.records.append('render-events', render_id, { ...fact, render_id });
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
};

test('a render of a project as it stands is created, and read back as it was created', async (t) => {
  const created = await post(t.context, PLAIN);
  const id = idOf(created);
  t.is(created.status, 201);
  t.is(created.headers.get('location'), `/v1/renders/${id}`);
  t.regex(id, /^rend_[0-9A-HJKMNP-TV-Z]{26}$/);
  t.like(created.body, {
    name: 'Spring sale',
    status: 'initializing',
    type: 'local',
    project: { id: 'proj_1', team: 'team_1' },
    created_by: 'user_1',
    updated_at: null,
  });
  const fields = ['created_at', 'created_by', 'id', 'name', 'project', 'status', 'type', 'updated_at'];
  t.deepEqual(Object.keys(Object(created.body)).sort(), fields);

  const read = await getSoon(t.context, `renders/${id}`);
  t.is(read.status, 200);
  t.deepEqual(read.body, created.body);
  t.is(read.headers.get('link'), `</v1/renders/${id}/transitions>; rel="describedby"`);
  t.is(read.headers.get('cache-control'), 'private, no-store');
  t.is(read.headers.get('etag'), null);

  const transitions = await get(t.context, `renders/${id}/transitions`);
  const { created_at } = Object(created.body);
  t.deepEqual(transitions.body, { data: [{ seq: 1, status: 'initializing', at: created_at, attempt: null }] });
});

test('the fact pins the version, names the key, and carries the trace and the request id', async (t) => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const created = await send(t.context.renders, {
    method: 'POST',
    body: JSON.stringify(PLAIN),
    headers: {
      ...bearer(t.context.keys.userless),
      'Content-Type': 'application/json',
      traceparent,
    },
  });
  const { record, headers } = await requestOf(t.context, idOf(created));
  t.like(record, {
    account_id: 'acc_1',
    team_id: 'team_1',
    project_id: 'proj_1',
    project_version: 1,
    template_id: null,
    created_by: null,
    request: null,
    reserved_credits: 10,
    fold_version: 1,
  });
  const correlation_id = created.headers.get('x-request-id');
  t.like(record.meta, { actor: 'key:key_userless', correlation_id, causation_id: null });
  t.is(headers.traceparent, traceparent);
});

test('values go into Blob, as strings; nothing of them enters the log', async (t) => {
  const values = { headline: 'For Ada Lovelace', size: 64, show: false, accent: null, unknown: 'ignored' };
  const created = await post(t.context, { ...OF_TEMPLATE, values });
  t.is(created.status, 201);
  const { record, bytes } = await requestOf(t.context, idOf(created));
  t.is(record.template_id, 'tpl_sale');
  t.false(bytes.includes('Ada'));
  if (record.request === null) return t.fail('no payload');
  const payload = await t.context.blobs.getPayload(record.request);
  t.deepEqual(JSON.parse(payload.toString()), {
    template_id: 'tpl_sale',
    values: { headline: 'For Ada Lovelace', size: '64', show: 'false', unknown: 'ignored' },
  });
});

test('a template without values, and empty values without a template, are fine', async (t) => {
  for (const body of [
    OF_TEMPLATE,
    { ...OF_TEMPLATE, values: {} },
    { ...PLAIN, values: { a: null } },
    { ...PLAIN, template_id: null, values: null },
  ])
    t.is((await post(t.context, body)).status, 201, JSON.stringify(body));
});

test.serial('what is refused says why, and leaves nothing in the log', async (t) => {
  const before = await logEnds(t.context);
  const refused: readonly (readonly [unknown, number, string])[] = [
    [[], 400, 'the body must be a JSON object'],
    [{ project_id: 'proj_1' }, 400, 'name: is required, 1 to 250 characters'],
    [{ ...PLAIN, name: '' }, 400, 'name: must be 1 to 250 characters'],
    [{ ...PLAIN, name: 'x'.repeat(251) }, 400, 'name: must be 1 to 250 characters'],
    [{ ...PLAIN, name: 5 }, 400, 'name: must be a string'],
    [{ name: 'x' }, 400, 'project_id: is required, at least 1 character'],
    [{ ...PLAIN, project_id: '' }, 400, 'project_id: must be at least 1 character'],
    [{ ...PLAIN, project_id: 'proj_none' }, 404, 'project_id: there is no such project'],
    [{ ...PLAIN, project_id: 'p'.repeat(10_000) }, 404, 'project_id: there is no such project'],
    [{ ...PLAIN, project_id: 'proj_2' }, 404, 'project_id: there is no such project'],
    [{ ...PLAIN, project_id: 'proj_2', template_id: 'tpl_none' }, 404, 'project_id: there is no such project'],
    [{ ...PLAIN, project_id: 'proj_empty' }, 400, 'project_id: this project has no version yet, so nothing to render'],
    [{ ...PLAIN, template_id: 'tpl_none' }, 404, 'template_id: the project has no such template'],
    [
      { ...PLAIN, values: { size: 1 } },
      400,
      'values: must be left out without a template_id, as only a template has fields',
    ],
    [{ ...OF_TEMPLATE, values: 'x' }, 400, 'values: must be an object'],
    [{ ...OF_TEMPLATE, values: { size: [1] } }, 400, 'values.size: must be a string, a number or a boolean'],
    [{ ...OF_TEMPLATE, values: { size: 'big' } }, 400, 'values.size: must be a number'],
    [{ ...OF_TEMPLATE, values: { accent: 'red' } }, 400, 'values.accent: must be a colour like #E30613'],
    [{ ...OF_TEMPLATE, values: { show: 'yes' } }, 400, 'values.show: must be true or false'],
    [
      { ...OF_TEMPLATE, values: { headline: 'x'.repeat(10_001) } },
      400,
      'values.headline: must have at most 10000 characters',
    ],
  ];
  for (const [body, status, error] of refused) {
    const answer = await post(t.context, body);
    t.deepEqual([answer.status, errorOf(answer)], [status, error], JSON.stringify(body).slice(0, 200));
  }

  const raw = (body: string, headers: Record<string, string>) =>
    send(t.context.renders, { method: 'POST', body, headers: { ...bearer(t.context.keys.ours), ...headers } });
  const json = { 'Content-Type': 'application/json' };
  const bodies: readonly (readonly [string, Record<string, string>, number])[] = [
    ['{"name":', json, 400],
    ['', json, 400],
    [JSON.stringify(PLAIN), { 'Content-Type': 'text/plain' }, 415],
    [JSON.stringify(PLAIN), { ...json, 'Content-Encoding': 'gzip' }, 415],
    [JSON.stringify({ ...PLAIN, more: 'x'.repeat(256 * 1024) }), json, 413],
  ];
  for (const [body, headers, status] of bodies) {
    const answer = await raw(body, headers);
    t.is(answer.status, status, body.slice(0, 50));
    t.truthy(errorOf(answer));
  }
  t.deepEqual(await logEnds(t.context), before);
});

test.serial('without a key in force nobody gets anywhere, whatever they send', async (t) => {
  const before = await logEnds(t.context);
  const { keys, renders, reads } = t.context;
  const headers = [
    {},
    { Authorization: 'Bearer' },
    { Authorization: `Basic ${keys.ours}` },
    { Authorization: 'Bearer nonsense' },
    bearer(keys.unknown),
    bearer(keys.revoked),
    bearer(keys.expired),
    bearer(keys.ours.slice(0, -1)),
  ];
  for (const header of headers) {
    const answers = await Promise.all([
      send(renders, {
        method: 'POST',
        body: JSON.stringify(PLAIN),
        headers: { ...header, 'Content-Type': 'application/json' },
      }),
      send(renders, { method: 'POST', body: 'x'.repeat(300_000), headers: header }),
      send(`${reads}/renders/rend_1`, { headers: header }),
      send(`${reads}/projects/proj_1`, { headers: header }),
    ]);
    for (const answer of answers) {
      t.is(answer.status, 401, JSON.stringify(header));
      t.is(answer.headers.get('www-authenticate'), 'Bearer');
      t.truthy(errorOf(answer));
    }
  }
  t.deepEqual(await logEnds(t.context), before);
});

test("another team's key finds nothing of ours, exactly like what does not exist", async (t) => {
  const { keys } = t.context;
  t.deepEqual(
    (await post(t.context, PLAIN, keys.theirs)).body,
    (await post(t.context, { ...PLAIN, project_id: 'proj_no' }, keys.theirs)).body,
  );
  const id = idOf(await post(t.context, PLAIN));
  t.is((await getSoon(t.context, `renders/${id}`)).status, 200);
  for (const path of ['', '/transitions']) {
    const began = Date.now();
    const [theirs, nobodys] = await Promise.all([
      get(t.context, `renders/${id}${path}`, keys.theirs),
      get(t.context, `renders/${renderId(ulid())}${path}`, keys.theirs),
    ]);
    t.is(theirs.status, 503);
    t.deepEqual([theirs.status, theirs.body], [nobodys.status, nobodys.body]);
    t.is(nobodys.headers.get('retry-after'), '1');
    t.true(Date.now() - began >= 1_900);
  }
  // Once it is old enough to be answered for at once, it is a plain "not found".
  await until('it is old', async () => (await get(t.context, `renders/${id}`, keys.theirs)).status === 404, 20_000);
  const old = await get(t.context, `renders/${id}`, keys.theirs);
  const unknown = await get(t.context, `renders/${renderId(ulid(Date.now() - 60_000))}`, keys.theirs);
  t.deepEqual([old.status, old.body], [unknown.status, unknown.body]);
  t.is((await get(t.context, `renders/${id}`)).status, 200);
});

test('an id that was never minted is not found at once', async (t) => {
  await until('the projector has said how far it is', async () => {
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
    const began = Date.now();
    const answer = await get(t.context, `renders/${id}`);
    t.is(answer.status, 404, id);
    t.truthy(errorOf(answer));
    t.true(Date.now() - began < 1_000, id);
  }
});

test('a GET right after POST is never "not found", in 200 tries', async (t) => {
  t.timeout(120_000);
  const statuses: number[] = [];
  const one = async () => {
    for (let i = 0; i < 25; i += 1) {
      const id = idOf(await post(t.context, PLAIN));
      statuses.push((await getSoon(t.context, `renders/${id}`)).status);
    }
  };
  await Promise.all(Array.from({ length: 8 }, one));
  t.is(statuses.length, 200);
  t.deepEqual([...new Set(statuses)], [200]);
});

test('a complete render has fresh URLs of every variant, and its whole history', async (t) => {
  const { clients, blobs } = t.context;
  const id = idOf(await post(t.context, { ...PLAIN, name: 'Größe "1"/2 🎬' }));
  const { path } = await blobs.putPayload(`renders/${id}/a/master.mp4`, Buffer.from('a video'), 'video/mp4');
  const outputs = [
    { ...master, path },
    { ...master, variant: 'small', path: `renders/${id}/att_1/small.mp4` },
  ];
  await append(t.context, id, [prepared, assigned('att_1', 1), progressed('att_1')]);
  const now = await until('it is processed', async () => {
    const answer = await get(t.context, `renders/${id}`);
    return Object(answer.body).status === 'processing' ? answer : null;
  });
  t.false('output' in Object(now.body));
  const live = clients.store.db.collection<{ _id: string }>(COLLECTIONS.live_progress);
  await live.replaceOne(
    { _id: id },
    { attempt_id: 'att_1', frames_done: 150, frames_total: 300, stage: 'rendering', at: new Date() },
    { upsert: true },
  );
  const running = Object((await get(t.context, `renders/${id}/transitions`)).body).data;
  t.like(running.at(-1), { seq: 4, status: 'processing', attempt: 1, progress: 0.5 });

  await append(t.context, id, [finished('att_1'), { ...completed('att_1'), outputs }]);
  const done = await until('it is complete', async () => {
    const answer = await get(t.context, `renders/${id}`);
    return Object(answer.body).status === 'complete' ? answer : null;
  });
  const { output, updated_at } = Object(done.body);
  t.deepEqual(Object.keys(output), ['master', 'small']);
  const video = await fetch(output.master);
  t.is(await video.text(), 'a video');
  t.is(video.headers.get('content-type'), 'video/mp4');
  t.true(video.headers.get('content-disposition')?.includes(encodeURIComponent('Größe')));
  t.is((await fetch(output.master.replace('master', 'other'))).status, 403);

  const history = Object((await get(t.context, `renders/${id}/transitions`)).body).data;
  t.deepEqual(
    history.map(({ status }: { status: string }) => status),
    ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete'],
  );
  t.is(history.at(-1).at, updated_at);
  const head = await get(t.context, `renders/${id}`, t.context.keys.ours, 'HEAD');
  t.deepEqual([head.status, head.text], [200, '']);
});

test('a failed render says why in its history, and nothing more than specified in itself', async (t) => {
  const id = idOf(await post(t.context, PLAIN));
  await append(t.context, id, [failed('preparer:p', null)]);
  const history = await until('it is failed', async () => {
    const { data } = Object((await get(t.context, `renders/${id}/transitions`)).body);
    return data?.at(-1).status === 'failed' ? data : null;
  });
  t.like(history.at(-1), {
    seq: 2,
    attempt: null,
    failure: { stage: 'rendering', code: 'font_unknown', field: 'layers[2].font_family' },
  });
  const { body } = await get(t.context, `renders/${id}`);
  t.false('failure' in Object(body));
  t.false('output' in Object(body));
});

test('teams are those that the key reaches, with the role of its user', async (t) => {
  const { keys } = t.context;
  const data = async (path: string, key = keys.ours) => Object((await get(t.context, path, key)).body);
  const { created_at } = (await data('teams')).data[0];
  const team = { id: 'team_1', name: 'Studio', account_id: 'acc_1', role: 'admin', created_at };
  t.is(typeof created_at, 'number');
  t.deepEqual(await data('teams'), { data: [team] });
  t.deepEqual(await data('teams', keys.userless), { data: [{ ...team, role: null }] });
  t.deepEqual(await data('teams/team_1'), team);
  for (const id of ['team_2', 'team_left', 'team_none']) {
    const answer = await get(t.context, `teams/${id}`);
    t.deepEqual([answer.status, errorOf(answer)], [404, 'there is no such team'], id);
  }
});

test('users are those of a team that is reached', async (t) => {
  const { body } = await get(t.context, 'users?team_id=team_1');
  const [member, ...others] = Object(body).data;
  t.deepEqual(others, []);
  t.deepEqual(Object.keys(member), ['id', 'email', 'created_at', 'role', 'joined_at']);
  t.like(member, { id: 'user_1', email: 'ada@example.com', role: 'admin' });
  const { id, email, created_at } = member;
  t.deepEqual((await get(t.context, 'users/user_1')).body, { id, email, created_at });
  t.is(errorOf(await get(t.context, 'users')), 'team_id: is required, as a query parameter');
  for (const path of ['users?team_id=team_2', 'users?team_id=team_none', 'users/user_2', 'users/user_none'])
    t.is((await get(t.context, path)).status, 404, path);
});

test('a project and its templates', async (t) => {
  const project = Object((await get(t.context, 'projects/proj_1')).body);
  t.like(project, {
    id: 'proj_1',
    name: 'Sale of proj_1',
    team: { id: 'team_1', name: 'Studio' },
    created_by: 'user_1',
    thumbnail_url: null,
  });
  t.true(project.updated_at >= project.created_at);

  const summary = {
    id: 'tpl_sale',
    name: 'Sale',
    description: null,
    project_id: 'proj_1',
    target_composition_id: 'comp_main',
    field_count: 5,
  };
  t.deepEqual((await get(t.context, 'templates?project_id=proj_1')).body, { data: [summary] });
  t.deepEqual((await get(t.context, 'templates?project_id=proj_empty')).body, { data: [] });
  const { fields, ...rest } = Object((await get(t.context, 'templates/tpl_sale?project_id=proj_1')).body);
  t.deepEqual(rest, summary);
  t.deepEqual(fields[0], {
    key: 'headline',
    label: null,
    description: null,
    kind: 'text',
    widget: 'text',
    default_value: 'Hi',
  });
  t.is(errorOf(await get(t.context, 'templates')), 'project_id: is required, as a query parameter');
  t.is((await get(t.context, 'templates/tpl_sale?project_id=')).status, 400);
  for (const path of [
    'projects/proj_2',
    'projects/proj_none',
    'templates?project_id=proj_2',
    'templates/tpl_none?project_id=proj_1',
  ])
    t.is((await get(t.context, path)).status, 404, path);
});

test('methods and paths that are not there', async (t) => {
  const { renders, reads, keys } = t.context;
  const wrong = await send(`${reads}/renders/rend_1`, { method: 'DELETE', headers: bearer(keys.ours) });
  t.is(wrong.status, 405);
  t.truthy(wrong.headers.get('allow')?.includes('GET'));
  t.is((await send(`${reads}/nothing`, { headers: bearer(keys.ours) })).status, 404);
  t.is((await send(renders, { method: 'PUT', headers: bearer(keys.ours) })).status, 405);
});

test('no body, however odd, is the fault of the service', async (t) => {
  t.timeout(120_000);
  const field = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('proj_1', 'tpl_sale', 'x', '') },
    fc.string({ unit: 'binary' }),
    fc.jsonValue(),
  );
  const key = fc.oneof(fc.constantFrom('headline', 'size', 'logo', 'show', 'accent', '__proto__'), fc.string());
  const values = fc.oneof(fc.dictionary(key, field), fc.jsonValue());
  const body = fc.record({ name: field, project_id: field, template_id: field, values }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(fc.oneof(body, fc.jsonValue()), async (candidate) => {
      const answer = await post(t.context, candidate);
      t.true([201, 400, 404].includes(answer.status), `${answer.status} for ${JSON.stringify(candidate)}`);
      t.true(answer.status === 201 || errorOf(answer) !== null);
    }),
    { numRuns: 300 },
  );
});
