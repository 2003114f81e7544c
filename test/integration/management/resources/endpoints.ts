import test from 'ava';
import { type HttpsReceiver, startHttpsReceiver } from '../../../../stack/testing/https-receiver.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { localCertificate } from '../../../../stack/tls/kept-certificates.ts';
import type { Told } from '../_world.ts';
import { ask } from './_ask.ts';
import { type People, sharedWorld } from './_shared-world.ts';

let world: People;
let receiver: HttpsReceiver;
test.before(async (t) => {
  t.timeout(450_000);
  world = await sharedWorld();
  const certificate = localCertificate(world.stack.env.OUTBOUND_CA_FILE);
  if (certificate === null) throw new Error('the stack has no certificate for this machine');
  receiver = await startHttpsReceiver({ certificate });
});
test.after.always(async () => {
  await receiver?.close();
});

const post = (path: string, body: unknown = {}, headers = {}): Promise<Told> =>
  ask(world, world.as.ada, 'POST', `/teams/${world.team_id}${path}`, body, headers);
const get = (path: string): Promise<Told> => ask(world, world.as.mia, 'GET', `/teams/${world.team_id}${path}`);

const ended = async (delivery_id: unknown): Promise<Told> =>
  await pollUntil('the delivery has ended', async () => {
    // The delivery does not exist until the relay has planned it.
    const answer = await get(`/deliveries/${delivery_id}`);
    return answer.status === 200 && answer.body.state !== 'pending' ? answer : null;
  });

test('an endpoint is created, tested, fails, is redelivered to and gets a new secret', async (t) => {
  const wanted = { url: `${receiver.origin}/hook`, events: ['render.failed', 'render.complete'] };
  const headers = { 'Idempotency-Key': 'endpoint' };
  const made = await post('/endpoints', wanted, headers);
  t.is(made.status, 201);
  t.regex(String(made.body.secret), /^whsec_/);
  const { id } = made.body;
  t.like(await post('/endpoints', wanted, headers), { status: 200, body: { id, secret: null, repeated: true } });
  t.is((await post('/endpoints', { ...wanted, url: `${receiver.origin}/other` }, headers)).status, 422);

  receiver.answer('/hook', { tag: 'answer', status: 200, body: '<img src=x onerror=alert(1)>' });
  const tested = await post(`/endpoints/${id}/test`, { event: 'render.complete' });
  t.is(tested.status, 202);
  const delivery = await ended(tested.body.delivery_id);
  t.like(delivery.body, { state: 'succeeded', event: 'render.complete', attempt_count: 1 });
  t.like(delivery.body, { endpoint_url: wanted.url, body: null }, 'a body is deleted when its delivery ends');
  const [attempt] = Array.isArray(delivery.body.attempts) ? delivery.body.attempts : [];
  t.like(
    attempt,
    { n: 1, succeeded: true, status: 200, response: null },
    'only the status, because loopback addresses are allowed',
  );
  t.is((await post(`/deliveries/${tested.body.delivery_id}/again`)).status, 409, 'a repeated test creates no delivery');

  receiver.answer('/hook', { tag: 'answer', status: 500 });
  const failing = await post(`/endpoints/${id}/test`);
  t.like((await ended(failing.body.delivery_id)).body, { state: 'exhausted', attempt_count: 5 });
  const listed = await get(`/endpoints/${id}/deliveries?limit=1`);
  t.like(listed.body, { data: [{ id: failing.body.delivery_id, last_attempt: { status: 500 } }], has_more: true });
  const next = await get(`/endpoints/${id}/deliveries?limit=1&cursor=${listed.body.next_cursor}`);
  t.like(next.body, { data: [{ id: tested.body.delivery_id }], has_more: false });
  const exhausted = await get(`/endpoints/${id}/deliveries?state=exhausted&event=render.complete&since=0`);
  t.is(Object(exhausted.body.data).length, 1);
  t.is((await get(`/endpoints/${id}/deliveries?state=lost`)).status, 400);
  t.like((await post(`/endpoints/${id}/deliver-again`, { since: 0 })).body, { requested: 0, go_on_since: null });

  const rotated = await post(`/endpoints/${id}/rotate-secret`);
  t.is(rotated.status, 200);
  t.not(rotated.body.secret, made.body.secret);
  t.not(rotated.body.rotation, null);
  t.is((await post(`/endpoints/${id}/activate-secret`)).body.rotation, null);
  t.like((await post(`/endpoints/${id}/events`, { events: ['render.failed'] })).body, { events: ['render.failed'] });
  t.like((await post(`/endpoints/${id}/disable`)).body, { state: 'disabled', disabled: { reason: 'by_hand' } });
  t.is((await post(`/endpoints/${id}/test`)).status, 409);
  t.like((await get(`/endpoints/${id}`)).body, { state: 'disabled', disabled_periods: [{ reason: 'by_hand' }] });
  t.like((await post(`/endpoints/${id}/enable`)).body, { state: 'enabled' });
  t.like((await post(`/endpoints/${id}/delete`)).body, { state: 'deleted' });
  const { data } = (await get('/endpoints')).body;
  t.false(JSON.stringify(data).includes(String(id)));
  const with_deleted = Object((await get('/endpoints?state=all')).body.data);
  t.like(
    with_deleted.find((one: { id: string }) => one.id === id),
    { state: 'deleted', url: wanted.url },
  );
  t.is((await get('/endpoints?state=deleted')).status, 400);
  const all = JSON.stringify([await get(`/endpoints/${id}`), listed, delivery]);
  t.false(all.includes(String(made.body.secret)) || all.includes(String(rotated.body.secret)));
});

test('an invalid endpoint is refused without information about the network', async (t) => {
  const events = ['render.failed'];
  for (const url of ['http://example.com/', 'https://10.1.2.3/', 'https://user@localhost/', 'nothing']) {
    const { status, body } = await post('/endpoints', { url, events });
    t.is(status, 400, url);
    t.regex(String(body.error), /^url: (?:must |10\.1\.2\.3 is a private address$)/);
  }
  for (const body of [{}, { url: 'https://localhost/', events: [] }, { url: 'https://localhost/', events: ['all'] }])
    t.is((await post('/endpoints', body)).status, 400, JSON.stringify(body));
});
