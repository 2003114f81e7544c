import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import { Agent, request } from 'undici';
import { MAX_ENDPOINTS_OF_A_TEAM, ROTATION_MS } from '../../../domain/webhooks/endpoint.ts';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../../../platform/configuration/parts.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { openKeyBlobs } from '../../../platform/seals/open-key-blobs.ts';
import { createSealer } from '../../../platform/seals/sealer.ts';
import type { WebhookEndpointDocument } from '../../../read-models/catalogue/documents.ts';
import { catalogueCollections } from '../../../read-models/collections.ts';
import type { WebhookAttempt } from '../../../read-models/deliveries/documents.ts';
import { queuePositionText } from '../../../read-models/deliveries/waiting.ts';
import { type Received, type ReceiverAnswer, startHttpsReceiver } from '../../../stack/testing/https-receiver.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { operatorMeta } from '../../../stack/testing/webhook-endpoints.ts';
import { issueCertificate } from '../../../stack/tls/certificate.ts';
import { erased, failed, requested } from '../../helpers/render-events.ts';
import { caller, RENDERCTL } from '../../helpers/renderctl.ts';
import {
  deliveries,
  deliveryIdOf,
  FAILING_LIFE,
  live,
  owedOf,
  type RelayWorld,
  STATUSES,
  startRelayWorld,
  teamWithEndpoint,
  untilDelivery,
  untilEnded,
  webhookEvents,
} from './_relay-world.ts';
import { isStandard, opensslSignature } from './_verified.ts';

let world: RelayWorld;

/** An eighth of the default; the later waits are 5, 25 and 125 times as long. */
const FIRST_WAIT_MS = 125;
const WAITS_MS = [1, 5, 25, 125].map((times) => times * FIRST_WAIT_MS);

test.before(async (t) => {
  t.timeout(360_000);
  world = await startRelayWorld({ WEBHOOK_RETRY_FIRST_MS: String(FIRST_WAIT_MS) });
});
test.after.always(() => world?.stop());

const OK: ReceiverAnswer = { tag: 'answer' };
const FAILED: ReceiverAnswer = { tag: 'answer', status: 500, body: 'not now' };

/** Answers to the first attempts; later attempts get 200. */
const inTurn =
  (...answers: readonly ReceiverAnswer[]) =>
  (_received: Received, nth: number): ReceiverAnswer =>
    answers[nth - 1] ?? OK;

const oneDelivery = async (...answers: readonly ReceiverAnswer[]) => {
  const endpoint = await teamWithEndpoint(world, inTurn(...answers), ['render.failed']);
  const render_id = await live(world.clients, endpoint.team_id, FAILING_LIFE);
  return { endpoint, render_id, id: deliveryIdOf(endpoint.id, render_id, 2, 'render.failed') };
};

const jsonOf = ({ body }: Received) => JSON.parse(body.toString('utf8'));

const endOf = ({ started_at, duration_ms }: WebhookAttempt): number => started_at + duration_ms;

/** From the end of each attempt to the start of the next one, ms. */
/** A busy machine makes an attempt at most this much later. */
const LOADED_MS = 30_000;

const waitsBetween = (attempts: readonly WebhookAttempt[]): readonly number[] =>
  attempts
    .slice(1)
    .map(({ started_at }, index) => started_at - endOf(attempts[index] ?? (attempts[0] as WebhookAttempt)));

test.serial('a rebuild reverts changed deliveries and sends only pending ones', async (t) => {
  t.timeout(180_000);
  const whole = await teamWithEndpoint(world);
  const render_id = await live(world.clients, whole.team_id);
  const [changed, lost, waits, noted] = owedOf(whole, render_id);
  for (const id of owedOf(whole, render_id)) await untilEnded(world.clients, id);
  const open = await oneDelivery({ tag: 'answer', status: 503, headers: { 'retry-after': '60' } });
  await untilDelivery(world.clients, open.id, 'was attempted', ({ attempts }) => attempts.length === 1);
  const all = deliveries(world.clients);
  const stored = async () =>
    await all
      .find({ endpoint_id: { $in: [whole.id, open.endpoint.id] } })
      .sort({ _id: 1 })
      .toArray();
  const before = await stored();
  const [one] = before.filter(({ _id }) => _id === changed);
  if (one === undefined || lost === undefined || waits === undefined || noted === undefined)
    return t.fail('it is not there');

  // Ten minutes at most: a due time beyond the longest wait counts as reached, so the relay would send the delivery.
  const later = { due_at: Date.now() + 600_000, order: 1, partition: one.partition, endpoint_id: whole.id };
  const pending = { state: 'pending', body: '{}', waiting: queuePositionText(later) } as const;
  await all.updateOne({ _id: one._id }, { $set: { state: 'exhausted', reason: 'attempts_failed', attempts: [] } });
  await all.updateOne({ _id: waits }, { $set: { ...pending, ended_at: null } });
  await all.updateOne({ _id: noted }, { $set: { repeated_by: 'hook_1' } });
  await all.deleteMany({ _id: { $in: [lost, open.id] } });
  await all.insertMany([
    { ...one, _id: 'hook_invented' },
    { ...one, _id: 'hook_0', ...pending },
  ]);
  const rebuild = async () => {
    const { stdout, stderr } = await caller(world.stack.env)('rebuild', 'deliveries', '--json');
    return stdout === '' ? stderr : JSON.parse(stdout).mended;
  };
  t.deepEqual(await rebuild(), { changed: 3, restored: 1, removed: 2, planned_again: 1, left: 0 });

  const ended = await untilEnded(world.clients, open.id);
  t.like(ended, {
    state: 'succeeded',
    attempts: [
      { n: 1, status: 503 },
      { n: 2, status: 200 },
    ],
  });
  const [first, second, ...more] = world.receiver.receivedAt(open.endpoint.path);
  t.deepEqual([second?.body, more], [first?.body, []]);
  t.is(world.receiver.receivedAt(whole.path).length, 7);
  const kept = (all_of: typeof before) =>
    all_of.flatMap(({ ended_at: _, delete_at: __, ...rest }) =>
      rest._id === open.id ? [] : { ...rest, attempts: rest._id === changed || rest._id === lost ? [] : rest.attempts },
    );
  t.deepEqual(kept(await stored()), kept(before));
  t.like(await all.findOne({ _id: lost }), { attempts: [{ n: 1, status: 200, succeeded: true, response: null }] });
  t.deepEqual(await rebuild(), { changed: 0, restored: 0, removed: 0, planned_again: 0, left: 0 });
});

test('every transition of a render is delivered once, signed, in its state then', async (t) => {
  t.timeout(180_000);
  const endpoint = await teamWithEndpoint(world);
  const render_id = await live(world.clients, endpoint.team_id);
  const owed = owedOf(endpoint, render_id);
  t.is(owed.length, STATUSES.length + 1);
  const received = await pollUntil('all are delivered', async () => {
    const all = world.receiver.receivedAt(endpoint.path);
    return all.length >= owed.length ? all : null;
  });
  t.deepEqual(received.map(({ headers }) => headers['x-webhook-id']).sort(), [...owed].sort());

  for (const one of received) {
    const { method, headers } = one;
    const { id, event, data, timestamp, ...more } = jsonOf(one);
    t.is(method, 'POST');
    t.deepEqual(more, {});
    t.deepEqual(Object.keys(jsonOf(one)), ['id', 'event', 'data', 'timestamp']);
    t.deepEqual(Object.keys(headers).sort(), [
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
      'x-webhook-id',
      'x-webhook-signature',
      'x-webhook-timestamp',
    ]);
    t.is(headers['content-type'], 'application/json');
    t.is(headers['user-agent'], 'Service-Webhooks/1.0');
    t.is(headers['x-webhook-id'], id);
    t.is(headers['webhook-id'], id);
    t.is(headers['x-webhook-timestamp'], String(timestamp));
    t.true(Math.abs(Date.now() - timestamp) < 60_000);
    t.is(headers['x-webhook-signature'], await opensslSignature(one, endpoint.secret));
    t.true(isStandard(one, endpoint.secret));
    t.false(isStandard({ ...one, body: Buffer.concat([one.body, Buffer.from(' ')]) }, endpoint.secret));

    const seq = STATUSES.indexOf(data.status) + 1;
    t.is(id, deliveryIdOf(endpoint.id, render_id, seq, event));
    t.is(event, event === 'render.complete' ? 'render.complete' : 'render.status_changed');
    const { output, created_at, updated_at, progress, ...rest } = data;
    t.is(progress, data.status === 'processing' ? 0 : undefined);
    t.deepEqual(rest, {
      id: render_id,
      name: 'Spring sale',
      status: STATUSES[seq - 1],
      type: 'local',
      project: { id: 'proj_1', team: endpoint.team_id },
      created_by: 'user_1',
    });
    t.is(typeof created_at, 'number');
    t.is(updated_at === null, seq === 1);
    if (data.status === 'complete') t.regex(output.master, /^http.*\/master\.mp4\?.*sig=/);
    else t.is(output, undefined);
  }

  for (const id of owed) t.like(await untilEnded(world.clients, id), { state: 'succeeded', body: null });
  const events = (await webhookEvents(world.clients)).filter((event) => event.render_id === render_id);
  for (const id of owed) {
    const own = events.filter(({ delivery_id }) => delivery_id === id).map(({ type }) => type);
    t.deepEqual(own, ['DeliveryPlanned', 'DeliveryAttempted', 'DeliverySucceeded']);
  }
});

test('an endpoint gets its subscribed events, including failed renders', async (t) => {
  t.timeout(180_000);
  const endpoint = await teamWithEndpoint(world, OK, ['render.failed', 'render.complete']);
  const completed = await live(world.clients, endpoint.team_id);
  const failed = await live(world.clients, endpoint.team_id, FAILING_LIFE);
  const owed = [...owedOf(endpoint, completed), ...owedOf(endpoint, failed, FAILING_LIFE)];
  for (const id of owed) await untilEnded(world.clients, id);
  t.deepEqual(
    world.receiver
      .receivedAt(endpoint.path)
      .map((one) => jsonOf(one).event)
      .sort(),
    ['render.complete', 'render.failed'],
  );
});

test('a sealed name is in bodies before the erasure, and in none after it', async (t) => {
  t.timeout(240_000);
  const { stack, clients, receiver } = world;
  const settings = decodeConfiguration(stack.env, { blob_store: BLOB_STORE });
  if (E.isLeft(settings)) return t.fail(settings.left.join());
  const blobs = openKeyBlobs(settings.right.blob_store);
  const { seal } = createSealer({ blobs, clock: SYSTEM_CLOCK, onFailure: (error) => t.fail(String(error)) });
  const endpoint = await teamWithEndpoint(world, FAILED, ['render.failed']);
  const [render_id, other] = [`rend_${ulid()}`, `rend_${ulid()}`];
  const name = `Sealed ${render_id}`;
  const { type, account_id, project_id } = requested();
  const sealed = await seal({ type, account_id, project_id, render_id }, { name });
  const begun = requested({ fold_version: 4, name: '', name_sha256: null, request: null, sealed });
  await live(clients, endpoint.team_id, [begun, failed('preparer:prep_1', null)], render_id);
  const [id = ''] = owedOf(endpoint, render_id, FAILING_LIFE);
  const first = await pollUntil('the first attempt', async () => receiver.receivedAt(endpoint.path)[0] ?? null);
  t.is(jsonOf(first).data.name, name);

  await live(clients, endpoint.team_id, [erased()], render_id);
  const delivery = await untilEnded(clients, id);
  t.is(delivery.body, null);
  const namedBodies = (): number => receiver.receivedAt(endpoint.path).filter(({ body }) => body.includes(name)).length;
  const before = namedBodies();
  const again = await answer(t, 'webhook', 'deliver-again', id);
  t.is((await untilEnded(clients, again.id)).body, null);
  // A later render shows that the relay continues.
  receiver.answer(endpoint.path, OK);
  await live(clients, endpoint.team_id, FAILING_LIFE, other);
  for (const later of owedOf(endpoint, other, FAILING_LIFE)) await untilEnded(clients, later);
  t.is(namedBodies(), before);
  return undefined;
});

test('first attempts of a render are in order and never overlap', async (t) => {
  t.timeout(180_000);
  const DELAY_MS = 100;
  const seen = new Set<string>();
  // The first attempt at the second transition of each render fails; all answers are slow.
  const endpoint = await teamWithEndpoint(
    world,
    (received) => {
      const { id, data } = jsonOf(received);
      const is_first = !seen.has(id);
      seen.add(id);
      return { tag: 'answer', delay_ms: DELAY_MS, status: is_first && data.status === 'ready' ? 503 : 200 };
    },
    ['render.status_changed'],
  );
  const renders = await Promise.all(Array.from({ length: 8 }, () => live(world.clients, endpoint.team_id)));
  for (const id of renders.flatMap((render) => owedOf(endpoint, render))) await untilEnded(world.clients, id);
  const received = world.receiver.receivedAt(endpoint.path);
  for (const render_id of renders) {
    const own = received.filter((one) => jsonOf(one).data.id === render_id);
    t.is(own.length, STATUSES.length + 1);
    const firsts = own.filter((one, i) => own.findIndex((other) => jsonOf(other).id === jsonOf(one).id) === i);
    t.deepEqual(
      firsts.map((one) => jsonOf(one).data.status),
      [...STATUSES],
    );
    for (const [before, after] of firsts.slice(1).map((one, i) => [firsts[i], one] as const))
      t.true((after?.began_at ?? 0) >= (before?.at ?? 0) + DELAY_MS - 5);
  }
});

test('a redirect fails and is not followed', async (t) => {
  t.timeout(180_000);
  const elsewhere = `/elsewhere/${ulid()}`;
  const location = `${world.receiver.origin}${elsewhere}`;
  const { id } = await oneDelivery({ tag: 'answer', status: 302, headers: { location } });
  const { attempts, state } = await untilEnded(world.clients, id);
  t.is(state, 'succeeded');
  t.deepEqual(
    attempts.map(({ status, succeeded }) => [status, succeeded]),
    [
      [302, false],
      [200, true],
    ],
  );
  t.deepEqual(world.receiver.receivedAt(elsewhere), []);
});

test('Retry-After lengthens a wait, in seconds and as a date', async (t) => {
  t.timeout(240_000);
  const of = async (value: string) => {
    const { id } = await oneDelivery({ tag: 'answer', status: 429, headers: { 'retry-after': value } });
    return (await untilEnded(world.clients, id)).attempts;
  };
  const date = new Date(Date.now() + 12_000);
  const [in_seconds, at_a_date, in_the_past] = await Promise.all([
    of('4'),
    of(date.toUTCString()),
    of('Wed, 21 Oct 2015 07:28:00 GMT'),
  ]);
  t.is(in_seconds[0]?.status, 429);
  const [wait_ms = 0] = waitsBetween(in_seconds);
  t.true(wait_ms >= 4_000 && wait_ms < 4_000 + LOADED_MS, `${wait_ms} ms`);
  const began_at = at_a_date[1]?.started_at ?? 0;
  t.true(began_at >= date.getTime() - 1_000 && began_at < date.getTime() + LOADED_MS);
  const [short_ms = 0] = waitsBetween(in_the_past);
  t.true(short_ms >= FIRST_WAIT_MS && short_ms < FIRST_WAIT_MS + LOADED_MS, `${short_ms} ms`);
});

test('a reset, a huge answer or a certificate for another name fails the attempt', async (t) => {
  t.timeout(180_000);
  const reset = await oneDelivery({ tag: 'reset' });
  const big = await oneDelivery({ tag: 'big', size_bytes: 100_000_000 });
  const authority = dirname(world.stack.env.OUTBOUND_CA_FILE ?? '');
  const [cert, key] = await Promise.all(['ca.pem', 'ca.key'].map((name) => readFile(join(authority, name), 'utf8')));
  const certificate = await issueCertificate({ cert: cert ?? '', key: key ?? '' }, ['example.org']);
  const other = await startHttpsReceiver({ certificate });
  t.teardown(() => other.close());
  const team_id = `team_${ulid()}`;
  await world.endpoints.makeTeams([team_id]);
  const endpoint = await world.endpoints.make({ team_id, url: `${other.origin}/`, events: ['render.failed'] });
  const render_id = await live(world.clients, team_id, FAILING_LIFE);

  const after_reset = await untilEnded(world.clients, reset.id);
  t.like(after_reset.attempts[0], { status: null, succeeded: false, response: null });
  t.is(after_reset.attempts[0]?.fault?.code, 'connection_reset');
  t.like(after_reset, { state: 'succeeded' });

  const after_big = await untilEnded(world.clients, big.id);
  t.is(after_big.attempts.length, 1);
  t.is(after_big.attempts[0]?.response, 'x'.repeat(20_000));

  const id = deliveryIdOf(endpoint.id, render_id, 2, 'render.failed');
  const refused = await untilDelivery(world.clients, id, 'was tried', ({ attempts }) => attempts.length > 0);
  t.is(refused.attempts[0]?.fault?.code, 'tls');
  t.deepEqual(other.received(), []);
});

test('a dripping answer is cut off at the timeout of an attempt', async (t) => {
  t.timeout(180_000);
  const { id } = await oneDelivery({ tag: 'drip', every_ms: 1_000 });
  const { attempts, state } = await untilEnded(world.clients, id, 120_000);
  t.is(attempts[0]?.fault?.code, 'timeout');
  const took_ms = attempts[0]?.duration_ms ?? 0;
  t.true(took_ms >= 14_900 && took_ms < 15_000 + LOADED_MS, `${took_ms} ms`);
  t.is(state, 'succeeded');
});

test('an endpoint that fails four times gets the fifth attempt on schedule', async (t) => {
  t.timeout(400_000);
  const receiver = await world.anotherReceiver();
  const endpoint = await teamWithEndpoint({ endpoints: world.endpoints, receiver });
  await receiver.down();
  const renders = await Promise.all(Array.from({ length: 10 }, () => live(world.clients, endpoint.team_id)));
  const owed = renders.flatMap((render_id) => owedOf(endpoint, render_id));
  const tried = { _id: { $in: owed }, [`attempts.${WAITS_MS.length - 1}`]: { $exists: true } };
  await pollUntil(
    'each was attempted four times',
    async () => (await deliveries(world.clients).countDocuments(tried)) === owed.length,
    100_000,
  );
  await receiver.up();
  const ended = await Promise.all(owed.map((id) => untilEnded(world.clients, id, 120_000)));
  t.deepEqual(
    ended.filter(({ state }) => state !== 'succeeded'),
    [],
  );
  t.deepEqual([...new Set(receiver.received().map(({ headers }) => headers['x-webhook-id']))].sort(), [...owed].sort());
  for (const { attempts } of ended) {
    t.is(attempts.length, 5);
    t.is(attempts[0]?.fault?.code, 'connection_refused');
    for (const [index, wait_ms] of waitsBetween(attempts).entries()) {
      const at_least = WAITS_MS[index] ?? 0;
      // Jitter only makes waits longer. An endpoint that refuses gets one attempt at a time, so some deliveries wait
      // for others.
      t.true(wait_ms >= at_least && wait_ms <= at_least * 1.1 + LOADED_MS, `${index}: ${wait_ms} ms`);
    }
  }
});

const renderctl = (...args: readonly string[]) => caller(world.stack.env)(...args);

const untilKnown = (endpoint_id: string): Promise<unknown> =>
  pollUntil(
    `${endpoint_id} is known`,
    async () => (await renderctl('webhook', 'deliveries', endpoint_id)).exit_code === 0,
  );

const answer = async (t: ExecutionContext, ...args: readonly string[]) => {
  const { exit_code, stdout, stderr } = await renderctl(...args, '--json');
  t.is(exit_code, 0, stderr);
  return JSON.parse(stdout);
};

const refusal = async (t: ExecutionContext, ...args: readonly string[]): Promise<string> => {
  const { exit_code, stderr } = await renderctl(...args);
  t.is(exit_code, 1);
  return stderr;
};

test('410 disables an endpoint; skipped deliveries can be repeated after it is enabled', async (t) => {
  t.timeout(240_000);
  const gone: ReceiverAnswer = { tag: 'answer', status: 410 };
  const endpoint = await teamWithEndpoint(world, () => gone);
  const first = await live(world.clients, endpoint.team_id, FAILING_LIFE);
  const ends = await Promise.all(owedOf(endpoint, first, FAILING_LIFE).map((id) => untilEnded(world.clients, id)));
  t.like(ends[0], { state: 'exhausted', reason: 'gone' });
  t.is(ends[0]?.attempts.length, 1);
  const shown = await pollUntil('the endpoint is disabled', async () => {
    const found = await answer(t, 'webhook', 'show', endpoint.id);
    return found.state === 'disabled' ? found : null;
  });
  t.is(shown.disabled.reason, 'gone');

  const second = await live(world.clients, endpoint.team_id);
  const skipped = await Promise.all(owedOf(endpoint, second).map((id) => untilEnded(world.clients, id)));
  for (const one of skipped) t.like(one, { state: 'skipped', reason: 'disabled', body: null });
  const before = world.receiver.receivedAt(endpoint.path).length;

  const again = ['webhook', 'deliver-again', '--since', '10m', '--failed-or-skipped', '--endpoint', endpoint.id];
  t.regex(await refusal(t, ...again), /has been disabled since .* \(gone\); enable it with "renderctl webhook enable/);
  t.regex(await refusal(t, 'webhook', 'test', endpoint.id), /has been disabled since/);
  world.receiver.answer(endpoint.path, OK);
  await answer(t, 'webhook', 'enable', endpoint.id);
  const all = ends.length + skipped.length;
  t.deepEqual(await answer(t, ...again), { requested: all, repeated_before: 0, disabled_endpoint_ids: [] });
  const received = await pollUntil('all are delivered', async () => {
    const found = world.receiver.receivedAt(endpoint.path).slice(before);
    return found.length >= all ? found : null;
  });
  // A second request repeats no delivery twice.
  t.deepEqual(await answer(t, ...again), { requested: 0, repeated_before: all, disabled_endpoint_ids: [] });
  t.is(world.receiver.receivedAt(endpoint.path).length, before + all);
  t.deepEqual(
    received.map((one) => jsonOf(one).data.status).sort(),
    ['initializing', 'failed', 'failed', ...STATUSES, 'complete'].sort(),
  );
  for (const one of received) t.is(one.headers['x-webhook-signature'], await opensslSignature(one, endpoint.secret));
});

test('renderctl tests an endpoint, and lists, shows and repeats its deliveries', async (t) => {
  t.timeout(240_000);
  const endpoint = await teamWithEndpoint(world, { tag: 'answer', body: 'thank you' }, ['render.failed']);
  const render_id = await live(world.clients, endpoint.team_id, FAILING_LIFE);
  const id = deliveryIdOf(endpoint.id, render_id, 2, 'render.failed');
  await untilEnded(world.clients, id);

  const tested = await answer(t, 'webhook', 'test', endpoint.id);
  t.like(tested, { state: 'succeeded', seq: 0, event: 'render.failed', endpoint_id: endpoint.id });
  t.is(tested.attempts[0].status, 200);
  t.is(tested.attempts[0].response, 'thank you');
  const received = world.receiver.receivedAt(endpoint.path).at(-1);
  t.is(received && jsonOf(received).id, tested.id);

  const listed = await answer(t, 'webhook', 'deliveries', endpoint.id);
  t.deepEqual(
    listed.data.map((one: { id: string }) => one.id),
    [tested.id, id],
  );
  t.deepEqual((await answer(t, 'webhook', 'deliveries', endpoint.id, '--state', 'exhausted')).data, []);
  t.is((await answer(t, 'webhook', 'deliveries', endpoint.id, '--limit', '1')).data[0].id, tested.id);
  t.is((await answer(t, 'webhook', 'deliveries', endpoint.id, '--since', '1h')).data.length, 2);
  t.is((await answer(t, 'webhook', 'deliveries', render_id)).data[0].id, id);
  const text = await renderctl('webhook', 'delivery', id);
  t.regex(text.stdout, /succeeded/);
  t.regex(text.stdout, /^1 +\S+Z +\d+ ms +200 +-$/m);
  t.regex(text.stdout, /Response to attempt 1:\nthank you/);

  const repeated = await answer(t, 'webhook', 'deliver-again', id, '--watch');
  t.like(repeated, { state: 'succeeded', repeats: id, render_id, seq: 2, event: 'render.failed' });
  t.not(repeated.id, id);
  t.is((await answer(t, 'webhook', 'delivery', id)).repeated_by, repeated.id);
  const count = world.receiver.receivedAt(endpoint.path).length;
  t.deepEqual(await answer(t, 'webhook', 'deliver-again', id), { id: repeated.id, repeats: id, repeated: true });
  t.is(world.receiver.receivedAt(endpoint.path).length, count);

  t.regex(await refusal(t, 'webhook', 'deliver-again', tested.id), /was a test/);
  t.regex(await refusal(t, 'webhook', 'deliver-again', 'hook_none'), /there is no delivery hook_none/);
  t.regex(await refusal(t, 'webhook', 'deliveries', 'whe_none'), /there is no webhook endpoint whe_none/);
  world.receiver.answer(endpoint.path, { tag: 'answer', status: 410 });
  const failed = await renderctl('webhook', 'test', endpoint.id);
  t.is(failed.exit_code, 1);
  t.regex(failed.stderr, /attempt 1 got status 410/);
  t.regex(
    failed.stderr,
    /was not delivered: exhausted, gone; see every attempt with "renderctl webhook delivery hook_/,
  );
  await answer(t, 'webhook', 'delete', endpoint.id);
  t.regex(await refusal(t, 'webhook', 'test', endpoint.id), /was deleted; create another/);
  t.regex(await refusal(t, 'webhook', 'deliver-again', repeated.id), /was deleted; create another/);
});

test('renderctl reports each attempt of a test and the next one', async (t) => {
  t.timeout(180_000);
  const endpoint = await teamWithEndpoint(world, inTurn(FAILED, { tag: 'answer', delay_ms: 2_000 }), ['render.failed']);
  await untilKnown(endpoint.id);
  let output = '';
  let has_ended = false;
  const call = caller(world.stack.env, new AbortController().signal, (text) => {
    output += text;
  })('webhook', 'test', endpoint.id).finally(() => {
    has_ended = true;
  });
  await pollUntil(
    'the first attempt is reported',
    async () => has_ended || output.includes('attempt 1 got status 500'),
  );
  t.false(has_ended, output);
  const { exit_code, stderr } = await call;
  t.is(exit_code, 0, stderr);
  t.regex(
    stderr,
    /^hook_\w+\n(attempt 1 is in progress.*\n)?attempt 1 got status 500, .*; the next attempt begins (at once|in 1 s)\n/,
  );
  t.regex(stderr, /\nattempt 2 got status 200, after \d+ ms\n$/);
});

/** A plain HTTP server, as a developer of a receiver runs it. */
const startTarget = async (t: ExecutionContext, statuses: readonly number[]) => {
  const taken: { readonly headers: IncomingHttpHeaders; readonly body: Buffer; readonly url: string | undefined }[] =
    [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    taken.push({ headers: request.headers, body: Buffer.concat(chunks), url: request.url });
    response.writeHead(statuses[taken.length - 1] ?? 204, { 'X-Own': 'of the target' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  t.teardown(async () => {
    if (server.listening) await close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://localhost:${port}/hooks?a=1`, taken, close };
};

const LISTENING =
  /^(whe_\w+) \((https:\S+)\) forwards deliveries to http:\/\/localhost.*, signed with (whsec_\S+)\. Ctrl-C/m;

test('renderctl listen verifies and forwards deliveries, then deletes its endpoint', async (t) => {
  t.timeout(360_000);
  const team_id = `team_${ulid()}`;
  await world.endpoints.makeTeams([team_id]);
  const left = await world.endpoints.make({ team_id, url: 'https://127.0.0.1:9/renderctl-webhook-listen' });
  await untilKnown(left.id);
  const target = await startTarget(t, [500]);
  const listen = ['webhook', 'listen', team_id, '--forward-to', target.url, '--event', 'render.failed'];
  const env = { ...world.stack.env, RENDERCTL_STACK_FILE: '/nonexistent/stack.json' };
  const listening = execa(RENDERCTL, listen, { env, reject: false, forceKillAfterDelay: 20_000 });
  t.teardown(() => listening.kill('SIGKILL'));
  let shown = '';
  let output = '';
  listening.stdout.on('data', (chunk) => {
    shown += chunk;
  });
  listening.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const [, id = '', url = '', secret = ''] = await pollUntil('it listens', async () => LISTENING.exec(output), 120_000);
  t.true(output.includes(`Deleted ${left.id} of an earlier "webhook listen".`));

  const render_id = await live(world.clients, team_id, FAILING_LIFE);
  const delivery = deliveryIdOf(id, render_id, 2, 'render.failed');
  const ended = await untilEnded(world.clients, delivery);
  t.deepEqual(
    ended.attempts.map(({ status }) => status),
    [500, 204],
  );
  const [first, second] = target.taken;
  t.is(first?.url, '/hooks?a=1');
  t.deepEqual(second?.body, first?.body);
  t.is(
    createHash('sha256')
      .update(first?.body ?? '')
      .digest('hex'),
    ended.body_sha256 ?? '',
  );
  t.like(first?.headers, { 'x-webhook-id': delivery, 'webhook-id': delivery, 'content-type': 'application/json' });
  for (const one of target.taken) {
    t.true(isStandard(one, secret));
    t.is(one.headers['x-webhook-signature'], await opensslSignature(one, secret));
  }
  await pollUntil('both are shown', async () => shown.trimEnd().split('\n').length === 2);
  for (const [index, status] of [500, 204].entries())
    t.regex(
      shown.split('\n')[index] ?? '',
      new RegExp(`Z  render\\.failed  ${render_id}  ${delivery}  ${status}, after \\d+ ms$`),
    );

  // A request without a valid signature is not forwarded.
  const ca = await readFile(world.stack.env.OUTBOUND_CA_FILE ?? '', 'utf8');
  const client = new Agent({ connect: { ca } });
  t.teardown(() => client.close());
  const forged = await request(url, { method: 'POST', body: first?.body ?? null, dispatcher: client });
  t.is(forged.statusCode, 401);
  t.regex(await forged.body.text(), /X-Webhook-Signature does not match the body/);
  t.is(target.taken.length, 2);

  await target.close();
  const unheard = await live(world.clients, team_id, FAILING_LIFE);
  const tried = await untilDelivery(
    world.clients,
    deliveryIdOf(id, unheard, 2, 'render.failed'),
    'was tried',
    ({ attempts }) => attempts.length > 0,
  );
  t.is(tried.attempts[0]?.status, 502);
  t.regex(tried.attempts[0]?.response ?? '', /^http:\/\/localhost:\d+ cannot be reached: /);

  listening.kill('SIGTERM');
  const { exitCode, stderr } = await listening;
  t.is(exitCode, 130, stderr);
  t.regex(stderr, new RegExp(`Received .* attempts\\. Deleted ${id}\\.`));
  t.deepEqual((await answer(t, 'webhook', 'list', '--team', team_id)).data, []);
});

/** Which of the secrets a request is signed with, by its two kinds of signatures. */
const signers = async (received: Received, secrets: readonly string[]) => {
  const signatures = await Promise.all(secrets.map((secret) => opensslSignature(received, secret)));
  return {
    header: signatures.indexOf(String(received.headers['x-webhook-signature'])),
    standard: secrets.flatMap((secret, index) => (isStandard(received, secret) ? [index] : [])),
    count: String(received.headers['webhook-signature']).split(' ').length,
  };
};

test('deliveries are signed with the right secrets throughout a rotation', async (t) => {
  t.timeout(240_000);
  const endpoint = await teamWithEndpoint(world, OK, ['render.failed']);
  const secrets = [endpoint.secret];
  const next = async () => {
    const render_id = await live(world.clients, endpoint.team_id, FAILING_LIFE);
    await untilEnded(world.clients, deliveryIdOf(endpoint.id, render_id, 2, 'render.failed'));
    const received = world.receiver.receivedAt(endpoint.path).at(-1);
    if (received === undefined) throw new Error('nothing came');
    return signers(received, secrets);
  };
  /** Waits until requests are signed like this, because the relay caches an endpoint for a second. */
  const becomes = async (header: number, standard: readonly number[]) => {
    const wanted = { header, standard: [...standard], count: standard.length };
    const isWanted = async () => JSON.stringify(await next()) === JSON.stringify(wanted);
    await t.notThrowsAsync(pollUntil(`signed as ${JSON.stringify(wanted)}`, isWanted));
    t.deepEqual(await next(), wanted);
  };
  const rotate = async () => secrets.push((await answer(t, 'webhook', 'rotate-secret', endpoint.id)).secret);

  t.deepEqual(await next(), { header: 0, standard: [0], count: 1 });
  await rotate();
  await becomes(0, [0, 1]);
  // A second rotation replaces the first, which was never in use.
  await rotate();
  await becomes(0, [0, 2]);
  // After the command returns, the old secret signs no delivery.
  await answer(t, 'webhook', 'activate-secret', endpoint.id);
  t.deepEqual(await next(), { header: 2, standard: [2], count: 1 });
  await rotate();
  await becomes(2, [2, 3]);

  // A day later: the document in the read model gets an earlier start of the rotation.
  const { webhook_endpoint } = catalogueCollections(1).entities;
  const stored = world.clients.store.db.collection<WebhookEndpointDocument>(webhook_endpoint);
  await stored.updateOne({ _id: endpoint.id }, { $inc: { 'next_secret.since': -ROTATION_MS } });
  await world.endpoints.makeTeams([`team_${ulid()}`]);
  await becomes(3, [3]);
});

test('after the activation, attempts sign the same bytes with the new secret', async (t) => {
  t.timeout(360_000);
  const delivered = async () => {
    const { endpoint, id } = await oneDelivery(FAILED, FAILED, { ...FAILED, headers: { 'retry-after': '15' } });
    const secrets = [endpoint.secret, await world.endpoints.rotate(endpoint.id)];
    const tried = await untilDelivery(world.clients, id, 'was tried', ({ attempts }) => attempts.length === 3);
    const [, , third] = tried.attempts;
    // Except on a busy machine, the command ends at least a second before the next attempt. The relay caches an
    // endpoint for at most a second, so this attempt uses the new secret.
    await answer(t, 'webhook', 'activate-secret', endpoint.id);
    const in_time = third !== undefined && Date.now() < endOf(third) + 14_000;
    await untilEnded(world.clients, id, 60_000);
    return { secrets, received: world.receiver.receivedAt(endpoint.path), in_time };
  };
  const first = await delivered();
  const { secrets, received } = first.in_time ? first : await delivered();
  t.is(received.length, 4);
  t.is(new Set(received.map(({ body }) => body.toString('hex'))).size, 1);
  t.is(new Set(received.map(({ headers }) => headers['x-webhook-timestamp'])).size, 1);
  const found = await Promise.all(received.map((one) => signers(one, secrets)));
  t.deepEqual(
    found.map(({ header }) => header),
    [0, 0, 0, 1],
  );
  t.deepEqual(found[3]?.standard, [1]);
});

test('each endpoint of a team gets the delivery; other teams do not', async (t) => {
  t.timeout(180_000);
  const team_id = `team_${ulid()}`;
  await world.endpoints.makeTeams([team_id]);
  const made = await Promise.all(
    Array.from({ length: MAX_ENDPOINTS_OF_A_TEAM }, (_, n) =>
      world.endpoints.make({ team_id, url: `${world.receiver.origin}/${team_id}/${n}`, events: ['render.failed'] }),
    ),
  );
  const stranger = await teamWithEndpoint(world);
  const render_id = await live(world.clients, team_id, FAILING_LIFE);
  for (const { id } of made) await untilEnded(world.clients, deliveryIdOf(id, render_id, 2, 'render.failed'));
  for (const { url } of made) t.is(world.receiver.receivedAt(new URL(url).pathname).length, 1);
  t.deepEqual(world.receiver.receivedAt(stranger.path), []);
});

test('events before the creation or subscription of an endpoint are not delivered', async (t) => {
  t.timeout(180_000);
  const team_id = `team_${ulid()}`;
  const path = `/${team_id}`;
  await world.endpoints.makeTeams([team_id]);
  await live(world.clients, team_id);
  const endpoint = await world.endpoints.make({
    team_id,
    url: `${world.receiver.origin}${path}`,
    events: ['render.complete'],
  });
  const failed = await live(world.clients, team_id, FAILING_LIFE);
  await world.endpoints.append({
    type: 'WebhookEventsChosen',
    rules: 0,
    meta: operatorMeta(),
    endpoint_id: endpoint.id,
    events: ['render.failed'],
  });
  const render_id = await live(world.clients, team_id, FAILING_LIFE);
  await untilEnded(world.clients, deliveryIdOf(endpoint.id, render_id, 2, 'render.failed'));
  t.deepEqual(
    world.receiver.receivedAt(path).map((one) => jsonOf(one).data.id),
    [render_id],
  );
  t.is(await deliveries(world.clients).findOne({ _id: deliveryIdOf(endpoint.id, failed, 2, 'render.failed') }), null);
});
