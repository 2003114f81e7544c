import { createHash } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';
import { decodeFinalComposition, type FinalComposition } from '../../../domain/composition/final-composition.ts';
import { SEALED_REQUEST } from '../../../domain/render/events.ts';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../../../platform/configuration/parts.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { openKeyBlobs } from '../../../platform/seals/open-key-blobs.ts';
import { createSealOpener } from '../../../platform/seals/opener.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { appendToCatalogue, versionOf } from './_catalogue.ts';
import { type Answer, bearer, errorOf, idOf, postJson, send, untilServed } from './_client.ts';
import { startCommandApi } from './_command-api.ts';
import { postKeyed } from './_keyed.ts';
import { eventsOf, requestOf, requestsIn } from './_life.ts';
import { addShowcase, type ShowcaseKeys } from './_showcase.ts';
import { get, OF_TEMPLATE, PLAIN, post, startWorld, type World } from './_world.ts';

// POST /v1/renders: each row of its table, each of its rules, its limits and its decisions.
const test = anyTest as TestFn<World & { readonly showcase: ShowcaseKeys }>;

const CARD = { name: 'Card', project_id: 'proj_card' };
const OF_CARD = { ...CARD, template_id: 'tpl_m' };
const MAX_BYTES = 256 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };

test.before(async (t) => {
  t.timeout(360_000);
  const world = await startWorld({ components: ['preparer', 'gateway'] });
  t.context = { ...world, showcase: await addShowcase(world) };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.stop?.();
});

const sendBody = ({ renders, keys }: World, body: string, headers: Readonly<Record<string, string>> = JSON_TYPE) =>
  untilServed(() => send(renders, { method: 'POST', body, headers: { ...bearer(keys.ours), ...headers } }));

const preparedFrom = async (world: World, created: Answer): Promise<FinalComposition> => {
  const reference = await pollUntil('the render is prepared', async () => {
    const events = await eventsOf(world, idOf(created));
    const prepared = events.find(({ record }) => record.type === 'RenderPrepared')?.record;
    return prepared?.type === 'RenderPrepared' ? prepared.composition : null;
  });
  const final = decodeFinalComposition(JSON.parse((await world.blobs.getPayload(reference)).toString('utf8')));
  if (final._tag === 'Left') throw new Error(JSON.stringify(final.left));
  return final.right;
};

const looks = async (world: World, created: Answer) => {
  const { id, layers } = (await preparedFrom(world, created)).composition;
  const title = layers.find((layer) => layer.type === 'text');
  const bar = layers.find((layer) => layer.type === 'shape');
  return [id, title?.text, title?.font_size, bar?.color, bar?.visible];
};

test('a new render is answered with 201, its location and the exact render', async (t) => {
  const before = Date.now();
  const created = await post(t.context, PLAIN);
  const id = idOf(created);
  t.is(created.status, 201);
  t.regex(id, /^rend_[0-9A-HJKMNP-TV-Z]{26}$/);
  t.is(created.headers.get('location'), `/v1/renders/${id}`);
  t.is(created.headers.get('link'), `</v1/renders/${id}/transitions>; rel="describedby"`);
  t.is(created.headers.get('cache-control'), 'private, no-store');
  t.is(created.headers.get('content-type'), 'application/json');
  t.is(created.headers.get('etag'), null);
  const { created_at } = Object(created.body);
  t.deepEqual(created.body, {
    id,
    name: 'Spring sale',
    status: 'initializing',
    type: 'local',
    project: { id: 'proj_1', team: 'team_1' },
    created_by: 'user_1',
    created_at,
    updated_at: null,
  });
  t.true(Number.isInteger(created_at));
  t.true(created_at >= before - 5_000 && created_at <= Date.now() + 5_000, 'milliseconds since the epoch');
});

test('the gateway gives the same answer, and Location and Link point to it', async (t) => {
  const { stack, keys } = t.context;
  const created = await untilServed(() => postJson(`${stack.base_url}/v1/renders`, keys.ours, PLAIN));
  t.is(created.status, 201);
  for (const header of ['location', 'link']) {
    const path = /^<?([^>]+)/.exec(created.headers.get(header) ?? '')?.[1] ?? '';
    const at = new URL(path, stack.base_url).href;
    const followed = await send(at, { headers: bearer(keys.ours) });
    t.is(followed.status, 200, path);
  }
});

test("any key of the team can create renders: admin's, member's or userless", async (t) => {
  const { keys, showcase } = t.context;
  const creators = [
    [keys.ours, 'user_1'],
    [showcase.member, 'user_plain'],
    [keys.userless, null],
  ] as const;
  for (const [key, created_by] of creators) {
    const created = await post(t.context, PLAIN, key);
    t.is(created.status, 201);
    t.is(Object(created.body).created_by, created_by);
  }
});

test('the event has the pinned version, the key, the trace and the request id', async (t) => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const created = await untilServed(() =>
    send(t.context.renders, {
      method: 'POST',
      body: JSON.stringify(CARD),
      headers: { ...bearer(t.context.keys.userless), ...JSON_TYPE, traceparent },
    }),
  );
  const { record, headers } = await requestOf(t.context, idOf(created));
  t.like(record, {
    account_id: 'acc_1',
    team_id: 'team_1',
    project_id: 'proj_card',
    project_version: 1,
    template_id: null,
    created_by: null,
    name: '',
    reserved_credits: 10,
    fold_version: 4,
  });
  const correlation_id = created.headers.get('x-request-id');
  t.like(record.meta, { actor: 'key:key_userless', correlation_id, causation_id: null });
  t.is(headers.traceparent, traceparent);
});

test('rule 1: without template_id and values the project is rendered unchanged', async (t) => {
  for (const omitted of [{}, { template_id: null, values: null }, { values: {} }, { values: { headline: null } }]) {
    const created = await post(t.context, { ...CARD, ...omitted });
    t.is(created.status, 201, JSON.stringify(omitted));
    t.deepEqual(await looks(t.context, created), ['comp_main', 'As it stands', 48, '#000000', true]);
  }
});

test('rules 2 and 3: a value sets its field, otherwise the default applies', async (t) => {
  const sale = { headline: 'Größe "1"/2 🎬', size: '12.5', accent: '#00ff00', bar: 'false' };
  const asked: readonly (readonly [object, readonly unknown[]])[] = [
    [{ values: sale }, ['Größe "1"/2 🎬', 12.5, '#00ff00', false]],
    [{ values: { headline: 'Sale' } }, ['Sale', 64, '#FF0000', true]],
    [{ values: { headline: '' } }, ['', 64, '#FF0000', true]],
    [{ values: { headline: 5, size: 7, bar: false } }, ['5', 7, '#FF0000', false]],
    [{ values: { headline: null, size: null } }, ['By default', 64, '#FF0000', true]],
    [{ values: {} }, ['By default', 64, '#FF0000', true]],
    [{}, ['By default', 64, '#FF0000', true]],
  ];
  const seen = await Promise.all(
    asked.map(async ([values]) => looks(t.context, await post(t.context, { ...OF_CARD, ...values }))),
  );
  t.deepEqual(
    seen,
    asked.map(([, expected]) => ['comp_main', ...expected]),
  );
});

test('unknown members and parameters of a request are named in the answer', async (t) => {
  const { renders, keys } = t.context;
  const namedIn = ({ headers }: { readonly headers: Headers }) => [
    headers.get('ignored-members'),
    headers.get('ignored-parameters'),
  ];
  const unknown = { metadata: { a: 1 }, templateid: 'tpl_m' };
  const created = await untilServed(() => postJson(`${renders}?dry=1`, keys.ours, { ...PLAIN, ...unknown }));
  t.is(created.status, 201);
  t.deepEqual(namedIn(created), ['"metadata", "templateid";did-you-mean="template_id"', '"dry"']);
  const refused = await postJson(renders, keys.ours, { name: 'a', projectid: 'proj_1' });
  t.is(refused.status, 400);
  t.deepEqual(namedIn(refused), ['"projectid";did-you-mean="project_id"', null]);
  const cancelled = await postJson(`${renders}/${idOf(created)}/cancel`, keys.ours, { why: 'late' });
  t.deepEqual(namedIn(cancelled), ['"why"', null]);
  t.deepEqual(namedIn(await post(t.context, PLAIN)), [null, null]);
});

test('rule 4: keys that the template does not define are ignored', async (t) => {
  const values = '{"headline":"Sale","nothing":"x","__proto__":"x","constructor":"x","toString":"x","":"x","0":"x"}';
  const created = await sendBody(
    t.context,
    `{"name":"Card","project_id":"proj_card","template_id":"tpl_m","values":${values}}`,
  );
  t.is(created.status, 201);
  t.deepEqual(await looks(t.context, created), ['comp_main', 'Sale', 64, '#FF0000', true]);
  t.is(created.headers.get('ignored-values'), '"0", "nothing", "__proto__", "constructor", "toString", ""');
  // In this project only another template has the field `headline`.
  const other = await post(t.context, { ...CARD, template_id: 'tpl_z', values: { headline: 'Sale', text: 'Now' } });
  t.deepEqual(await looks(t.context, other), ['comp_teaser', 'Now', 48, undefined, undefined]);
  t.is(other.headers.get('ignored-values'), '"headline"');
});

test('a header names each ignored key and the likely field, also through the gateway', async (t) => {
  const { stack, keys, renders } = t.context;
  for (const url of [renders, `${stack.component('gateway').url}/v1/renders`]) {
    const namedFor = async (values: object) =>
      (await untilServed(() => postJson(url, keys.ours, { ...OF_CARD, values }))).headers.get('ignored-values');
    t.is(await namedFor({ headlin: 'Sale', size: 12 }), '"headlin";did-you-mean="headline"');
    t.is(await namedFor({ 'a\r\nb': 'x' }), '"a%0D%0Ab"');
    t.is(await namedFor({ headline: 'Sale' }), null);
    t.is(await namedFor({}), null);
  }
});

test('rule 5: an undefined template is "not found" and renders no plain project', async (t) => {
  const told = 'template_id: the project has no such template';
  for (const [template_id, near] of [
    ...['tpl_none', 'tpl_sale', 'comp_main', '__proto__'].map((id) => [id, ''] as const),
    ...['TPL_M', 'tpl_m '].map((id) => [id, '; did you mean "tpl_m"?'] as const),
  ]) {
    const answer = await post(t.context, { ...CARD, template_id });
    t.deepEqual([answer.status, errorOf(answer)], [404, `${told}${near}`], template_id);
  }
});

test.serial('a render uses the project of its request time and leaves it unchanged', async (t) => {
  const { clients } = t.context;
  const project = async () => [
    (await get(t.context, 'projects/proj_card')).body,
    (await get(t.context, 'templates/tpl_m?project_id=proj_card')).body,
  ];
  const before = await project();
  const created = await post(t.context, { ...OF_CARD, values: { headline: 'Mine' } });
  t.is((await looks(t.context, created))[1], 'Mine');
  t.deepEqual(await project(), before);

  const old = await requestOf(t.context, idOf(await post(t.context, { ...PLAIN, project_id: 'proj_1' })));
  await appendToCatalogue(clients.records, [versionOf('proj_1', 2, 'Sale of proj_1, revised')]);
  await pollUntil('the new version is folded', async () => {
    return Object((await get(t.context, 'projects/proj_1')).body).name === 'Sale of proj_1, revised';
  });
  const next = await requestOf(t.context, idOf(await post(t.context, PLAIN)));
  t.deepEqual([old.record.project_version, next.record.project_version], [1, 2]);
});

const TEXTS = {
  name: 'Ada, by Augusta',
  values: { headline: 'For Ada Lovelace', size: 64, show: false, accent: null, unknown: 'ignored' },
};
const TEXTS_AS_STRINGS = {
  name: TEXTS.name,
  values: { headline: 'For Ada Lovelace', size: '64', show: 'false', unknown: 'ignored' },
};

test('name and values are sealed in the log, values as strings', async (t) => {
  const { stack } = t.context;
  const created = await post(t.context, { ...OF_TEMPLATE, ...TEXTS });
  t.is(created.status, 201);
  t.like(created.body, { name: TEXTS.name });
  const { record, bytes } = await requestOf(t.context, idOf(created));
  t.false(bytes.includes('Ada') || bytes.includes('Augusta'));
  t.like(record, { template_id: 'tpl_sale', name: '', name_sha256: null, request: SEALED_REQUEST });
  const { sealed } = record;
  if (sealed === null) return t.fail('not sealed');
  const settings = decodeConfiguration(stack.env, { blobs: BLOB_STORE });
  if (settings._tag === 'Left') return t.fail(settings.left.join());
  const opener = createSealOpener(openKeyBlobs(settings.right.blobs), SYSTEM_CLOCK);
  t.deepEqual(await opener.open({ ...record, sealed }), { state: 'open', text: TEXTS_AS_STRINGS });
});

test('fold version 3 keeps texts in Blob, and version 4 recognizes its requests', async (t) => {
  const { stack, keys, renders } = t.context;
  const of_v3 = await startCommandApi({ ...stack.env, RENDER_FOLD_VERSION: '3' });
  t.teardown(of_v3.kill);
  const body = { ...OF_TEMPLATE, ...TEXTS };
  const created = await postKeyed(of_v3.renders, keys.ours, 'sealed-later', body);
  t.is(created.status, 201);
  const { record, bytes } = await requestOf(t.context, idOf(created));
  t.false(bytes.includes('Ada') || bytes.includes('Augusta'));
  if (record.request === null) return t.fail('no payload');
  const payload = await t.context.blobs.getPayload(record.request);
  const { name_salt, ...stored } = JSON.parse(payload.toString());
  t.is(record.name_sha256, createHash('sha256').update(Buffer.from(name_salt, 'hex')).update(TEXTS.name).digest('hex'));
  t.deepEqual(stored, { template_id: 'tpl_sale', ...TEXTS_AS_STRINGS });

  t.is((await postKeyed(renders, keys.ours, 'sealed-later', body)).text, created.text);
  t.is((await postKeyed(renders, keys.ours, 'sealed-later', { ...body, name: 'Another' })).status, 422);
});

test('a draft is small, has one video and is priced by its size', async (t) => {
  const created = await post(t.context, { ...CARD, draft: true });
  t.is(created.status, 201);
  const { composition, variants } = await preparedFrom(t.context, created);
  t.like(composition, { width: 640, height: 360, fps: { num: 30, den: 1 }, duration: 10 });
  t.like(variants, [{ name: 'master', width: 640, height: 360, codec: 'h264' }]);
  t.is(variants.length, 1);
  const events = (await eventsOf(t.context, idOf(created))).map(({ record }) => record);
  t.like(events[0], { type: 'RenderRequested', draft: true, reserved_credits: 3 });
  t.like(events[1], { type: 'RenderPrepared', price_credits: 3, width: 640, height: 360, frames: 300 });
});

test('a draft and a full render with the same Idempotency-Key are different requests', async (t) => {
  const { renders, keys } = t.context;
  const keyed = (body: object) =>
    send(renders, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...bearer(keys.ours), ...JSON_TYPE, 'Idempotency-Key': 'draft-or-not' },
    });
  const draft = { ...CARD, draft: true };
  const first = await keyed(draft);
  t.is(first.status, 201);
  t.is(idOf(await keyed(draft)), idOf(first));
  t.is((await keyed(CARD)).status, 422);
});

test('unknown members of the body are ignored', async (t) => {
  const created = await post(t.context, {
    ...PLAIN,
    priority: 'high',
    id: 'rend_1',
    status: 'complete',
    type: 'cloud',
  });
  t.is(created.status, 201);
  t.like(created.body, { status: 'initializing', type: 'local' });
});

const weighing = (bytes: number): Record<string, string> => {
  const whole = Math.floor(bytes / 10_000);
  const entries = Array.from({ length: whole }, (_, i) => [`k${i}`.padEnd(4, '_'), 'x'.repeat(9_996)]);
  return Object.fromEntries([...entries, ['rest', 'x'.repeat(bytes - whole * 10_000 - 4)]]);
};

const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key_${i}`, 'x']));

const bodyOf = (bytes: number): string => {
  const empty = JSON.stringify({ ...PLAIN, more: '' });
  return JSON.stringify({ ...PLAIN, more: 'x'.repeat(bytes - empty.length) });
};

test('a value at each limit is accepted, and one above it is refused', async (t) => {
  const name = 'must be 1 to 250 characters';
  const limits: readonly (readonly [object, object, string])[] = [
    [{ name: 'x' }, { name: '' }, `name: ${name}`],
    [{ name: 'x'.repeat(250) }, { name: 'x'.repeat(251) }, `name: ${name}`],
    // Each of these characters is two UTF-16 units and four bytes.
    [{ name: '🎬'.repeat(250) }, { name: '🎬'.repeat(251) }, `name: ${name}`],
    [
      { ...OF_TEMPLATE, values: { headline: '🎬'.repeat(10_000) } },
      { ...OF_TEMPLATE, values: { headline: '🎬'.repeat(10_001) } },
      'values.headline: must have at most 10000 characters',
    ],
    [
      { ...OF_TEMPLATE, values: entries(200) },
      { ...OF_TEMPLATE, values: entries(201) },
      'values: must have at most 200 entries',
    ],
    [
      { ...OF_TEMPLATE, values: weighing(128 * 1024) },
      { ...OF_TEMPLATE, values: weighing(128 * 1024 + 1) },
      'values: must be at most 128 KiB in total',
    ],
  ];
  for (const [fits, exceeds, error] of limits) {
    const accepted = await post(t.context, { ...PLAIN, ...fits });
    t.is(accepted.status, 201, error);
    const refused = await post(t.context, { ...PLAIN, ...exceeds });
    t.deepEqual([refused.status, errorOf(refused)], [400, error]);
  }
  t.is((await sendBody(t.context, bodyOf(MAX_BYTES))).status, 201);
  const large = await sendBody(t.context, bodyOf(MAX_BYTES + 1));
  t.deepEqual([large.status, errorOf(large)], [413, 'the body is larger than 256 KiB']);
});

test.serial('a refusal states its reason and leaves nothing in the log', async (t) => {
  const before = await requestsIn(t.context);
  const refused: readonly (readonly [unknown, number, string])[] = [
    [[], 400, 'the body must be a JSON object'],
    ['text', 400, 'the body must be a JSON object'],
    [null, 400, 'the body must be a JSON object'],
    [{ project_id: 'proj_1' }, 400, 'name: is required, 1 to 250 characters'],
    [{ ...PLAIN, name: 5 }, 400, 'name: must be a string'],
    [{ ...PLAIN, name: null }, 400, 'name: must be a string'],
    [{ name: 'x' }, 400, 'project_id: is required, at least 1 character'],
    [{}, 400, 'name: is required, 1 to 250 characters; project_id: is required, at least 1 character'],
    [{ ...PLAIN, project_id: '' }, 400, 'project_id: must be at least 1 character'],
    [{ ...PLAIN, project_id: ['proj_1'] }, 400, 'project_id: must be a string'],
    [{ ...PLAIN, project_id: { $ne: null } }, 400, 'project_id: must be a string'],
    [{ ...PLAIN, project_id: 'proj_none' }, 404, 'project_id: there is no such project'],
    [{ ...PLAIN, project_id: 'p'.repeat(10_000) }, 404, 'project_id: there is no such project'],
    [{ ...PLAIN, project_id: 'proj_2' }, 404, 'project_id: there is no such project'],
    [{ ...PLAIN, project_id: 'proj_2', template_id: 'tpl_none' }, 404, 'project_id: there is no such project'],
    [{ ...PLAIN, project_id: 'proj_empty' }, 400, 'project_id: this project has no version yet'],
    [{ ...PLAIN, template_id: '' }, 400, 'template_id: must be at least 1 character'],
    [{ ...PLAIN, template_id: 5 }, 400, 'template_id: must be a string'],
    [{ ...PLAIN, template_id: 'tpl_none' }, 404, 'template_id: the project has no such template'],
    [{ ...PLAIN, values: { size: 1 } }, 400, 'values: requires a template_id, because only templates have fields'],
    [{ ...OF_TEMPLATE, values: 'x' }, 400, 'values: must be an object'],
    [{ ...OF_TEMPLATE, values: ['x'] }, 400, 'values: must be an object'],
    [{ ...OF_TEMPLATE, values: { size: [1] } }, 400, 'values.size: must be a string, a number or a boolean'],
    [{ ...OF_TEMPLATE, values: { size: { a: 1 } } }, 400, 'values.size: must be a string, a number or a boolean'],
    [{ ...OF_TEMPLATE, values: { nothing: [1] } }, 400, 'values.nothing: must be a string, a number or a boolean'],
    [{ ...OF_TEMPLATE, values: { size: 'big' } }, 400, 'values.size: must be a number'],
    [{ ...OF_TEMPLATE, values: { size: '' } }, 400, 'values.size: must be a number'],
    [{ ...OF_TEMPLATE, values: { size: 'Infinity' } }, 400, 'values.size: must be a number'],
    [{ ...OF_TEMPLATE, values: { accent: 'red' } }, 400, 'values.accent: must be a colour like #E30613'],
    [
      { ...OF_TEMPLATE, values: { headline: 'An owl: \u{13153}' } },
      400,
      'values.headline: has a character that no font has: U+13153',
    ],
    [{ ...OF_TEMPLATE, values: { show: 'yes' } }, 400, 'values.show: must be true or false'],
    [{ ...OF_TEMPLATE, values: { show: 1 } }, 400, 'values.show: must be true or false'],
    [
      { ...OF_TEMPLATE, values: { logo: 'nothing' } },
      400,
      'values.logo: must be the id of an asset of the project that is of kind image',
    ],
    [
      { ...OF_TEMPLATE, values: { logo: 'clip' } },
      400,
      'values.logo: must be an asset of kind image; this one is of kind video',
    ],
  ];
  for (const [body, status, error] of refused) {
    const answer = await post(t.context, body);
    t.deepEqual([answer.status, errorOf(answer)], [status, error], JSON.stringify(body).slice(0, 200));
  }
  const outOfRange = await post(t.context, { ...OF_TEMPLATE, values: { size: 0 } });
  t.is(outOfRange.status, 400);
  t.regex(errorOf(outOfRange) ?? '', /^values\.size: /);
  const several = await post(t.context, { ...OF_TEMPLATE, values: { size: 'big', accent: 'red' } });
  t.is(errorOf(several), 'values.size: must be a number; values.accent: must be a colour like #E30613');
  t.is(await requestsIn(t.context), before);
});

test.serial('a body that is malformed or not JSON is refused with its status', async (t) => {
  const before = await requestsIn(t.context);
  const body = JSON.stringify(PLAIN);
  const refused: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
    ['{"name":', JSON_TYPE, 400],
    ['', JSON_TYPE, 400],
    ['{"name": NaN}', JSON_TYPE, 400],
    [`${body}${body}`, JSON_TYPE, 400],
    [body, { 'Content-Type': 'text/plain' }, 415],
    [body, { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
    [body, { 'Content-Type': 'application/json; charset=latin1' }, 415],
    [body, { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, 415],
  ];
  for (const [sent, headers, status] of refused) {
    const answer = await sendBody(t.context, sent, headers);
    t.is(answer.status, status, `${sent.slice(0, 50)} ${JSON.stringify(headers)}`);
    t.truthy(errorOf(answer));
  }
  t.is(await requestsIn(t.context), before);
  for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])
    t.is((await sendBody(t.context, body, { 'Content-Type': type })).status, 201, type);
});
