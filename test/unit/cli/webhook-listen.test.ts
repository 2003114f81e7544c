import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { receivedAttemptJson, receivedAttemptText } from '../../../cli/commands/webhook-listen-command.ts';
import { forwardDelivery } from '../../../cli/webhooks/forward.ts';
import type { ReceivedAttempt } from '../../../cli/webhooks/listener.ts';

const NEVER = new AbortController().signal;

const startTarget = async (t: ExecutionContext, listener: RequestListener): Promise<URL> => {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hooks`);
};

const DELIVERY = {
  headers: {
    host: '127.0.0.1:9443',
    connection: 'keep-alive',
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'x-webhook-signature': 'sha256=ab',
    'webhook-id': 'hook_1',
    traceparent: '00-1-2-01',
    'x-own': 'of a proxy',
  },
  body: Buffer.from('{"id": "hook_1"}'),
};

test('a delivery is forwarded with body and signatures, without connection headers', async (t) => {
  const seen: unknown[] = [];
  const target = await startTarget(t, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    seen.push(request.headers, Buffer.concat(chunks).toString());
    response.writeHead(302, { location: '/elsewhere', 'set-cookie': 'a=b', 'retry-after': '7' }).end('moved');
  });
  const { status, headers, body, fault } = await forwardDelivery(target, DELIVERY, NEVER);
  const { host: _, connection: __, 'x-own': ___, ...handed_on } = DELIVERY.headers;
  t.deepEqual(seen, [
    { ...handed_on, host: target.host, connection: 'close', 'content-length': '16' },
    '{"id": "hook_1"}',
  ]);
  t.deepEqual(
    [status, headers, body.toString(), fault],
    [302, { location: '/elsewhere', 'retry-after': '7' }, 'moved', null],
  );
});

test('an endless answer is cut, and its start is returned', async (t) => {
  const target = await startTarget(t, (_request, response) => {
    const write = (): void => {
      while (response.write(Buffer.alloc(10_000, 'x'))) if (response.destroyed) return;
    };
    response.on('drain', write);
    write();
  });
  const { status, body } = await forwardDelivery(target, DELIVERY, NEVER);
  t.is(status, 200);
  t.is(body.length, 20_000);
});

test('an unreachable server gives 502, and a timeout 504', async (t) => {
  const silent = await startTarget(t, () => undefined);
  const late = await forwardDelivery(silent, DELIVERY, NEVER, 50);
  t.is(late.status, 504);
  t.regex(late.fault ?? '', /^http:\/\/127\.0\.0\.1:\d+ did not answer within 0\.05 s$/);
  const nobody = await forwardDelivery(new URL('http://127.0.0.1:9/'), DELIVERY, NEVER);
  t.is(nobody.status, 502);
  t.regex(nobody.fault ?? '', /^http:\/\/127\.0\.0\.1:9 cannot be reached: .*ECONNREFUSED/);
  t.is(nobody.body.toString(), `${nobody.fault}\n`);
});

test('a line reports each attempt and cannot move the cursor', (t) => {
  const delivery = { id: 'hook_1', event: 'render.complete', data: { id: 'rend_1', status: 'complete' } };
  const heard: ReceivedAttempt = { at: 1_763_700_000_000, delivery, status: 204, fault: null, duration_ms: 12 };
  t.is(receivedAttemptText(heard), '2025-11-21T04:40:00.000Z  render.complete  rend_1  hook_1  204, after 12 ms');
  const refused = { ...heard, delivery: null, status: 401, fault: 'no\u001b[2J' };
  t.is(receivedAttemptText(refused), '2025-11-21T04:40:00.000Z  no delivery  401: no [2J, after 12 ms');
  t.like(receivedAttemptJson(heard), { id: 'hook_1', event: 'render.complete', render_id: 'rend_1', status: 204 });
  t.like(receivedAttemptJson(refused), { id: null, event: null, render_id: null, fault: 'no\u001b[2J' });
});
