import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import pLimit from 'p-limit';
import { deliver } from '../../../webhook-relay/deliver.ts';
import type { Delivery } from '../../../webhook-relay/delivery.ts';
import { delayAfter, SCHEDULE } from '../../../webhook-relay/schedule.ts';

const FAST = { retry_delays_ms: [1, 5, 25, 125], attempt_timeout_ms: 1_000 };
const NEVER = { soon: new AbortController().signal, now: new AbortController().signal };

type Seen = { readonly headers: IncomingHttpHeaders; readonly body: string };

const receiver = async (
  t: ExecutionContext,
  answer: (count: number) => Parameters<RequestListener>[1]['statusCode'],
) => {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      const status = answer(seen.length);
      if (status !== 0) response.writeHead(status, { Location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { seen, url: `http://127.0.0.1:${port}/hooks` };
};

const to = (url: string): Delivery => ({
  id: 'hook_1',
  event: 'render.complete',
  render_id: 'rend_1',
  seq: 6,
  url,
  body: Buffer.from('{"a":1}'),
  headers: { 'Content-Type': 'application/json', 'User-Agent': 'Service-Webhooks/1.0', 'X-Webhook-ID': 'hook_1' },
});

test('a 2xx ends it at the first attempt', async (t) => {
  const { seen, url } = await receiver(t, () => 204);
  t.deepEqual(await deliver(to(url), FAST, pLimit(1), NEVER).ended, { tag: 'delivered', attempts: 1 });
  t.is(seen.length, 1);
  t.is(seen[0]?.headers['user-agent'], 'Service-Webhooks/1.0');
  t.is(seen[0]?.body, '{"a":1}');
});

test('retries carry the same bytes and the same id', async (t) => {
  const { seen, url } = await receiver(t, (count) => (count < 3 ? 500 : 200));
  t.deepEqual(await deliver(to(url), FAST, pLimit(1), NEVER).ended, { tag: 'delivered', attempts: 3 });
  t.deepEqual(new Set(seen.map((one) => one.body)), new Set(['{"a":1}']));
  t.deepEqual(new Set(seen.map((one) => one.headers['x-webhook-id'])), new Set(['hook_1']));
});

test('after the fifth failure it is exhausted', async (t) => {
  const { seen, url } = await receiver(t, () => 500);
  const ended = await deliver(to(url), FAST, pLimit(1), NEVER).ended;
  t.deepEqual(ended, { tag: 'exhausted', attempts: 5, reason: 'the endpoint answered 500' });
  t.is(seen.length, 5);
});

test('a redirect is a failure, and is not followed', async (t) => {
  const { seen, url } = await receiver(t, () => 302);
  const ended = await deliver(to(url), { ...FAST, retry_delays_ms: [] }, pLimit(1), NEVER).ended;
  t.deepEqual(ended, { tag: 'exhausted', attempts: 1, reason: 'the endpoint answered 302' });
  t.is(seen.length, 1);
});

test('an endpoint that never answers is given up on in time', async (t) => {
  const { url } = await receiver(t, () => 0);
  const schedule = { retry_delays_ms: [], attempt_timeout_ms: 50 };
  const ended = await deliver(to(url), schedule, pLimit(1), NEVER).ended;
  t.deepEqual(ended, { tag: 'exhausted', attempts: 1, reason: 'no answer within 50 ms' });
});

test('nobody listening is a failure with a reason', async (t) => {
  const ended = await deliver(to('http://127.0.0.1:1/'), { ...FAST, retry_delays_ms: [] }, pLimit(1), NEVER).ended;
  t.is(ended.tag, 'exhausted');
});

test('told to stop, it leaves the wait for a retry, still owed', async (t) => {
  const { url } = await receiver(t, () => 500);
  const stopping = new AbortController();
  const delivering = deliver(to(url), { ...FAST, retry_delays_ms: [60_000] }, pLimit(1), {
    ...NEVER,
    soon: stopping.signal,
  });
  await delivering.first_attempt_ended;
  stopping.abort();
  t.deepEqual(await delivering.ended, { tag: 'interrupted' });
});

test('the first attempt and four retries, after 1, 5, 25 and 125 seconds', (t) => {
  t.deepEqual(
    [1, 2, 3, 4, 5].map((attempt) => delayAfter(SCHEDULE, attempt)),
    [1_000, 5_000, 25_000, 125_000, null],
  );
  t.is(SCHEDULE.attempt_timeout_ms, 15_000);
});
