import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { right } from 'fp-ts/lib/Either.js';
import { addRoute } from '../../../platform/http-server/route.ts';
import { createServer, type Timeouts } from '../../../platform/http-server/server.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';
import { pollUntil } from '../../../stack/testing/until.ts';

const LARGE = Buffer.alloc(4 * 1024 * 1024, 'x');
const TIMEOUTS = { headers_ms: 20_000, request_ms: 20_000, look_ms: 50 };

const aServer = async (t: ExecutionContext, timeouts: Timeouts = TIMEOUTS) => {
  const logger = createLogger('test', 'silent');
  const parts = { metrics: createMetrics('test'), readiness: createReadiness() };
  const server = createServer({ name: 'test', logger, ...parts, timeouts });
  const counts = { handled: 0, at_once: 0, most: 0 };
  addRoute(server, logger, 'GET', '/small', async ({ query }) => {
    counts.handled += 1;
    counts.at_once += 1;
    counts.most = Math.max(counts.most, counts.at_once);
    await new Promise(setImmediate);
    counts.at_once -= 1;
    return right({ status: 200, body: { n: query.get('n') } });
  });
  addRoute(server, logger, 'GET', '/large', async () => {
    counts.handled += 1;
    return right({ status: 200, body: null, bytes: LARGE, headers: { 'Content-Type': 'text/plain' } });
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  t.teardown(() => {
    server.server.closeAllConnections();
    server.close();
  });
  const connected = async (): Promise<Socket> => {
    const socket = connect({ port: server.address().port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const connections = () => promisify(server.server.getConnections.bind(server.server))();
  return { url: server.url, counts, connected, connections };
};

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

test('pipelined requests are handled one at a time, in order', async (t) => {
  const { counts, connected } = await aServer(t);
  const socket = await connected();
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const numbers = Array.from({ length: 20 }, (_, n) => String(n));
  socket.write(numbers.map((n) => get(`/small?n=${n}`)).join(''));
  await pollUntil('all are answered', async () => text.split('HTTP/1.1 200').length === 21);
  t.is(counts.most, 1);
  t.deepEqual(
    Array.from(text.matchAll(/"n":"(\d+)"/g), ([, n]) => n),
    numbers,
  );
});

test('a client that does not read gets only the answers that its connection buffers', async (t) => {
  const { url, counts, connected } = await aServer(t);
  const socket = await connected();
  socket.pause();
  socket.write(get('/large').repeat(20));
  await pollUntil('the first is handled', async () => counts.handled > 0);
  for (let i = 0; i < 20; i += 1) await (await fetch(`${url}/small`)).arrayBuffer();
  t.true(counts.handled - 20 < 10, `${counts.handled - 20} were handled`);
});

test('a client that does not read for long is disconnected', async (t) => {
  const { counts, connected, connections } = await aServer(t, { ...TIMEOUTS, inactive_ms: 300 });
  const socket = await connected();
  socket.pause();
  socket.write(get('/large').repeat(20));
  await pollUntil('one is handled', async () => counts.handled > 0);
  await pollUntil('the server has disconnected the client', async () => (await connections()) === 0);
  t.true(counts.handled < 20);
});
