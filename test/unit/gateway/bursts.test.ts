import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { longStalls, stallOption, stallsIn } from '../../../stack/testing/stalls.ts';
import { gatewayIn, openGateway } from './_gateway.ts';
import { line, rawClient, upstream } from './_upstream.ts';

/*
 * Bursts that a client without a key can send over many connections at once. Each of them once blocked the event loop
 * for 0.5 to 15 s, while all other clients waited.
 */

const CLIENTS = 200;

const folder = mkdtempSync(join(tmpdir(), 'bursts-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

const chunkedBy = (method: string, path: string): string =>
  `${line(method, path, 'Content-Type: application/json', 'Transfer-Encoding: chunked')}${'1\r\n \r\n'.repeat(10_000)}0\r\n\r\n`;

const connected = async (url: string): Promise<Socket> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
};

/** Sends the bytes, and waits for the first answer or the end of the connection. */
const send = (socket: Socket, bytes: string): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      socket.destroy();
      resolve();
    };
    socket.on('error', () => undefined);
    socket.once('data', end);
    socket.once('close', end);
    socket.write(bytes);
  });

const longestOf = async (t: ExecutionContext, bytes: string): Promise<readonly string[]> => {
  const file = join(folder, `stalls ${t.title}`);
  const gateway = await openGateway({
    NODE_OPTIONS: stallOption(file),
    GATEWAY_CONNECTIONS_PER_ADDRESS: String(2 * CLIENTS),
  });
  t.teardown(() => gateway.child.kill('SIGKILL'));
  const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => connected(gateway.url)));
  await send(await connected(gateway.url), line('GET', '/v1/nothing'));
  const since = Date.now();
  await Promise.all(sockets.map((socket) => send(socket, bytes)));
  // The answer to this request comes in a later turn of the event loop, after all earlier input.
  await send(await connected(gateway.url), line('GET', '/v1/nothing'));
  t.is(gateway.child.exitCode, null);
  return longStalls(stallsIn(file, ['gateway'], since));
};

const BURSTS = [
  { title: '2,000 requests at once', bytes: line('GET', '/v1/nothing').repeat(2_000) },
  { title: 'a body of tiny chunks', bytes: chunkedBy('POST', '/v1/renders') },
  { title: 'tiny chunks after a GET', bytes: chunkedBy('GET', '/v1/renders') },
  {
    title: 'requests that expect 100-continue',
    bytes: line('GET', '/v1/nothing', 'Expect: 100-continue').repeat(2_000),
  },
];

for (const { title, bytes } of BURSTS)
  test.serial(`the event loop keeps running while ${CLIENTS} clients send ${title}`, async (t) => {
    t.timeout(120_000);
    t.deepEqual(await longestOf(t, bytes), []);
  });

test.serial('requests that expect 100-continue count as pipelined requests', async (t) => {
  const { env } = await upstream(t, (_request, response) => response.end());
  const { url } = await gatewayIn(t, { env });
  const client = await rawClient(t, url, line('GET', '/v1/nothing', 'Expect: 100-continue').repeat(100));
  await client.over;
  t.true(client.text().split('HTTP/1.1 404').length <= 33);
});
