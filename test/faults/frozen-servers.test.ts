import anyTest, { type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { createAccount } from '../../catalogue/accounts.ts';
import { createEndpoint } from '../../catalogue/endpoints.ts';
import { decodeConfiguration } from '../../platform/configuration/configuration.ts';
import { WEBHOOK_SEALING_KEY } from '../../platform/configuration/parts.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { secretSeal } from '../../platform/secrets/sealed-secret.ts';
import { catalogueReadModel } from '../../read-models/catalogue/management.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { endpointOf, openedSecretsOf } from '../helpers/opened-secrets.ts';
import { caller } from '../helpers/renderctl.ts';
import { type Answer, errorOf, idOf, postJsonOnce, sendOnce } from '../integration/api/_client.ts';
import { startCommandApi } from '../integration/api/_command-api.ts';
import {
  derived,
  keyedBy,
  keyedOnce,
  oneRender,
  postKeyedOnce,
  requestsOf,
  whileFrozen,
} from '../integration/api/_keyed.ts';
import { get, getOnce, OF_TEMPLATE, PLAIN, postOnce, startWorld, type World } from '../integration/api/_world.ts';

// The servers are frozen, not killed: they keep their connections open and do not answer, which is the worst case.
const test = anyTest as TestFn<World>;

const BOUND_MS = 30_000;

test.before(async (t) => {
  t.timeout(180_000);
  t.context = await startWorld({ own_servers: ['kafka', 'store', 'blob'] });
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context.stop?.();
});

const unavailable = (answer: Answer): string | null =>
  answer.status === 503 && Number(answer.headers.get('retry-after')) > 0 ? errorOf(answer) : null;

const health = async ({ stack }: World, component: string, what: string): Promise<number> =>
  (await sendOnce(`${stack.component(component).health_url}/health/${what}`)).status;

const untilAccepted = (world: World, body: unknown) =>
  pollUntil('POST is accepted again', async () => (await postOnce(world, body)).status === 201, BOUND_MS);

test.serial('if Kafka is frozen, renders are refused and reads continue', async (t) => {
  t.timeout(3 * BOUND_MS);
  await untilAccepted(t.context, PLAIN);
  await whileFrozen(t.context, 'kafka', async () => {
    const answers = await Promise.all([
      postOnce(t.context, PLAIN),
      postOnce(t.context, { ...PLAIN, project_id: 'proj_none' }),
    ]);
    t.regex(String(unavailable(answers[0])), /nothing was changed|outcome is unknown/);
    t.is(answers[1].status, 404);
    t.is((await get(t.context, 'projects/proj_1')).status, 200);
    t.is(await health(t.context, 'command-api', 'live'), 200);
    t.is(await health(t.context, 'command-api', 'ready'), 503);
    t.is(await health(t.context, 'query-api', 'ready'), 200);
  });
  await untilAccepted(t.context, PLAIN);
});

test.serial('if MongoDB is frozen, every answer asks for a retry within its time limit', async (t) => {
  t.timeout(3 * BOUND_MS);
  await whileFrozen(t.context, 'store', async () => {
    const began = Date.now();
    const answers = await Promise.all([
      postOnce(t.context, PLAIN),
      getOnce(t.context, 'projects/proj_1'),
      getOnce(t.context, 'teams'),
    ]);
    for (const answer of answers.slice(0, 2))
      t.regex(String(unavailable(answer)), /nothing was changed/, `${answer.status} ${answer.text}`);
    t.true(Date.now() - began < 10_000);
    t.is(await health(t.context, 'query-api', 'live'), 200);
    t.is(await health(t.context, 'query-api', 'ready'), 503);
  });
  await untilAccepted(t.context, PLAIN);
  await pollUntil(
    'GET is answered again',
    async () => (await get(t.context, 'projects/proj_1')).status === 200,
    BOUND_MS,
  );
});

/** Above 8 KiB, values are not sealed in the record. The API stores them in Blob before the append. */
const LARGE = 'Too large for a seal. '.repeat(420).trimEnd();

test.serial('a frozen blob store refuses renders with large values, and reads continue', async (t) => {
  t.timeout(3 * BOUND_MS);
  const withValues = { ...OF_TEMPLATE, values: { headline: LARGE } };
  await untilAccepted(t.context, withValues);
  await whileFrozen(t.context, 'blob', async () => {
    t.regex(String(unavailable(await postOnce(t.context, withValues))), /nothing was changed/);
    t.is((await get(t.context, 'projects/proj_1')).status, 200);
  });
  await untilAccepted(t.context, withValues);
});

test.serial('a retry creates the render after an API dies between payload and append', async (t) => {
  t.timeout(180_000);
  const body = { ...OF_TEMPLATE, values: { headline: LARGE } };
  const { render_id } = derived(t.context, 'killed-sooner', body);
  const second = await startCommandApi(t.context.stack.env);
  t.teardown(second.kill);
  await whileFrozen(t.context, 'kafka', async () => {
    const lost = postKeyedOnce(second.renders, t.context.keys.ours, 'killed-sooner', body);
    lost.catch(() => undefined);
    // Waits for another read, which gives the API enough time to store the values. The render's request gets no answer,
    // because the broker accepts nothing.
    t.is(await Promise.race([lost.then(() => 'answered'), get(t.context, 'teams').then(() => 'waiting')]), 'waiting');
    await second.kill();
    await t.throwsAsync(lost);
  });
  const retry = await keyedBy(t.context, 'killed-sooner', body);
  t.is(retry.status, 201);
  await oneRender(t, render_id);
  const [accepted] = await requestsOf(t.context, render_id);
  if (accepted === undefined || accepted.request === null) return t.fail('no payload');
  const payload = JSON.parse((await t.context.blobs.getPayload(accepted.request)).toString());
  t.deepEqual(payload.values, { headline: LARGE });
});

test.serial('without a read model, requests fail before the append and are uncertain after it', async (t) => {
  t.timeout(240_000);
  await whileFrozen(t.context, 'store', async () => {
    const answer = await keyedOnce(t.context, 'store-before', PLAIN);
    t.is(answer.status, 503);
    t.regex(String(errorOf(answer)), /nothing was changed/);
  });
  t.is((await keyedBy(t.context, 'store-before', PLAIN)).status, 201);

  const { render_id } = derived(t.context, 'store-after', PLAIN);
  await whileFrozen(t.context, 'projectors', async () => {
    const answer = keyedOnce(t.context, 'store-after', PLAIN);
    await pollUntil('the request is appended', async () => (await requestsOf(t.context, render_id)).length === 1);
    await whileFrozen(t.context, 'store', async () => {
      const { status, body } = await answer;
      t.is(status, 503);
      t.regex(String(Object(body).error), /^the outcome is unknown: retry with the same Idempotency-Key/);
    });
  });
  t.is(idOf(await keyedBy(t.context, 'store-after', PLAIN)), render_id);
  await oneRender(t, render_id);
});

test.serial('after an uncertain append a retry is safe with a key, else a warning', async (t) => {
  t.timeout(240_000);
  const { renders, keys } = t.context;
  let keyed: Answer | undefined;
  await whileFrozen(t.context, 'kafka', async () => {
    const answers = await Promise.all([keyedOnce(t.context, 'kafka', PLAIN), postJsonOnce(renders, keys.ours, PLAIN)]);
    keyed = answers[0];
    for (const { status } of answers) t.is(status, 503);
    const [withKey, without] = answers.map((answer) => String(errorOf(answer)));
    t.regex(withKey ?? '', /nothing was changed|outcome is unknown: retry with the same Idempotency-Key/);
    t.regex(without ?? '', /nothing was changed|a retry may create a second one; .* send an Idempotency-Key next time/);
  });
  const retry = await keyedBy(t.context, 'kafka', PLAIN);
  t.is(retry.status, 201, errorOf(keyed ?? retry) ?? '');
  await oneRender(t, idOf(retry));
});

test.serial('a change that the read model does not show yet returns its log position', async (t) => {
  t.timeout(90_000);
  const { clients, stack } = t.context;
  const renderctl = caller({ ...stack.env, RENDERCTL_WAIT_S: '15' });
  const end = async (): Promise<number> => (await clients.records.log.bounds('catalogue-events'))[0]?.end ?? 0;
  const read_model = catalogueReadModel(clients.store.db);
  const sealing = decodeConfiguration(stack.env, { sealing: WEBHOOK_SEALING_KEY });
  if (E.isLeft(sealing)) throw new Error(sealing.left.join('\n'));
  const seal = secretSeal({ ...sealing.right.sealing, secrets_key: undefined });
  if (E.isLeft(seal)) throw new Error(seal.left);
  const by = { actor: 'operator:test', clock: SYSTEM_CLOCK };
  const impatient = { records: clients.records, read_model, ...by, wait_timeout_ms: 500, seal: seal.right };
  const before = await end();
  stack.component('projectors').kill('SIGSTOP');
  const creating = renderctl('key', 'create', '--account', 'acc_1', '--team', 'team_1');
  await pollUntil('the change is appended', async () => (await end()) === before + 1);
  // A command decides nothing while the read model is behind the log.
  const behind = await createAccount(impatient, { name: 'Late', unlimited_credits: false });
  t.deepEqual(behind, E.left({ tag: 'read_model_behind', waited_ms: 500 }));
  t.is(await end(), before + 1);
  // An unavailable store is like a projector that is behind: the event is in the log.
  stack.server('store').kill('SIGSTOP');
  const { exit_code, stdout, stderr } = await creating;
  stack.server('store').kill('SIGCONT');
  stack.component('projectors').kill('SIGCONT');
  t.deepEqual([exit_code, stdout], [1, '']);
  t.regex(stderr, /the change is in the log at offset \d+, but the read model did not show it within 15 s/);
  // The key is in the log, and only this answer can show it.
  const [, id = '', key = ''] = /the key (key_\w+), shown only once: (vr_\w+)\n$/.exec(stderr) ?? [];
  const shown = await pollUntil('the key is folded', async () => {
    const asked = await renderctl('key', 'show', id, '--json');
    return asked.exit_code === 0 && JSON.parse(asked.stdout);
  });
  t.is(shown.last4, key.slice(-4));

  stack.component('projectors').kill('SIGSTOP');
  const url = 'https://127.0.0.1:8443/hooks';
  const hook = { team_id: 'team_1', url, events: ['render.failed' as const] };
  const unseen = await createEndpoint(impatient, async () => E.right(url), hook);
  stack.component('projectors').kill('SIGCONT');
  t.like(unseen, { left: { tag: 'not_shown', offset: before + 1, waited_ms: 500 } });
  const { endpoint_id = '', secret } = (E.isLeft(unseen) && 'secret' in unseen.left && unseen.left.secret) || {};
  await pollUntil('the endpoint is folded', () => endpointOf(clients, endpoint_id));
  t.deepEqual(await openedSecretsOf(stack, clients, endpoint_id), [secret, null]);
});
