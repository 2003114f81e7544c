import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { mintApiKey } from '../../../domain/access/api-key.ts';
import { sha256Hex } from '../../../platform/access/sha256.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { gatewayIn } from './_gateway.ts';
import { line, type RawClient, rawClient, upstream } from './_upstream.ts';

const SLOW_POST = `${line('POST', '/v1/renders', 'Content-Type: application/json', 'Content-Length: 100000')}{`;

const bytesOf = async (request: IncomingMessage): Promise<number> => {
  let size = 0;
  for await (const chunk of request) size += chunk.length;
  return size;
};

const post = (url: string, body = '{}') => fetch(`${url}/v1/renders`, { method: 'POST', body });

test.serial('clients that send slowly use no connection to an API', async (t) => {
  let asked = 0;
  const { env } = await upstream(t, (request, response) => {
    asked += 1;
    void bytesOf(request).then(() => response.end('{}'));
  });
  const { url } = await gatewayIn(t, { env: { ...env, GATEWAY_CONNECTIONS_PER_ADDRESS: '1000' } });
  const slow = await Promise.all(Array.from({ length: 300 }, () => rawClient(t, url, SLOW_POST)));
  const began = performance.now();
  t.is((await post(url)).status, 200);
  t.true(performance.now() - began < 10_000, 'the gateway would wait half a minute for them');
  t.is(asked, 1, 'incomplete requests are not forwarded');
  t.is(slow.filter(({ socket }) => socket.destroyed).length, 0);
});

test.serial('slow readers use no connection to an API, and yield if memory is short', async (t) => {
  const large = Buffer.alloc(8 * 1024 * 1024 - 1, 'x');
  let [asked, under_way] = [0, 0];
  const { env } = await upstream(t, (_request, response) => {
    asked += 1;
    under_way += 1;
    response.once('close', () => {
      under_way -= 1;
    });
    response.end(large);
  });
  const { url, metrics } = await gatewayIn(t, { env: { ...env, GATEWAY_BUFFER_BYTES: String(16 * 1024 * 1024) } });
  const clients: RawClient[] = [];
  for (let i = 0; i < 10; i += 1) {
    const client = await rawClient(t, url, line('GET', '/v1/teams'));
    client.socket.pause();
    clients.push(client);
  }
  await pollUntil('no answer is pending behind the gateway', async () => asked === 10 && under_way === 0);
  const isOver = async () => /^gateway_connections\{[^}]*\} 2$/m.test(await metrics.metrics());
  await pollUntil('there is room for the answers of two', isOver);
  t.is((await (await fetch(`${url}/v1/teams`)).arrayBuffer()).byteLength, large.length);
  for (const { socket } of clients) socket.resume();
  const cutOff = () => clients.filter(({ socket, text }) => socket.destroyed && text().length < large.length);
  await pollUntil('the ones that kept the gateway waiting longest are disconnected', async () => cutOff().length >= 8);
});

test.serial('a client that does not read its answer in time is disconnected', async (t) => {
  const { env } = await upstream(t, (_request, response) => response.end(Buffer.alloc(8 * 1024 * 1024 - 1)));
  const { url, metrics } = await gatewayIn(t, { env: { ...env, GATEWAY_ANSWER_TIMEOUT_S: '1' } });
  const slow = await rawClient(t, url, line('GET', '/v1/teams'));
  slow.socket.pause();
  const isHeld = async () => !/^gateway_held_bytes\{[^}]*\} 0$/m.test(await metrics.metrics());
  await pollUntil('the answer has arrived', isHeld);
  await pollUntil('the client is disconnected', async () => !(await isHeld()));
  slow.socket.resume();
  await slow.over;
  t.true(slow.text().length < 8 * 1024 * 1024);
});

test.serial('an address at its connection limit loses the connection with the longest gateway wait', async (t) => {
  const held = Promise.withResolvers<void>();
  const { env } = await upstream(t, (request, response) => {
    if (request.url === '/v1/teams/held') void held.promise.then(() => response.end('{}'));
    else response.end('{}');
  });
  const { url } = await gatewayIn(t, { env: { ...env, GATEWAY_CONNECTIONS_PER_ADDRESS: '3' } });
  const working = await rawClient(t, url, line('GET', '/v1/teams/held'), '127.0.0.2');
  const oldest = await rawClient(t, url, SLOW_POST, '127.0.0.2');
  const newer = await rawClient(t, url, 'GET /v1/teams HTTP/1.1\r\nX-Slow: ', '127.0.0.2');
  const one = await rawClient(t, url, line('GET', '/v1/teams', 'Connection: close'), '127.0.0.2');
  await Promise.all([one.over, oldest.over]);
  t.regex(one.text(), /^HTTP\/1\.1 200 /, 'the newest client is served');
  t.false(newer.socket.destroyed);
  t.false(working.socket.destroyed, 'a client that waits for the gateway is not evicted');
  t.is((await fetch(`${url}/v1/teams`)).status, 200, 'other addresses have their own');

  const more = [
    await rawClient(t, url, line('GET', '/v1/teams/held'), '127.0.0.2'),
    await rawClient(t, url, line('GET', '/v1/teams/held'), '127.0.0.2'),
  ];
  await newer.over;
  const refused = await rawClient(t, url, line('GET', '/v1/teams'), '127.0.0.2');
  await refused.over;
  t.regex(
    refused.text(),
    /^HTTP\/1\.1 429 [\s\S]*Retry-After: 1[\s\S]*\{"error":"too many connections from this address/,
  );
  held.resolve();
  await pollUntil('running requests are answered', async () =>
    [working, ...more].every((client) => /^HTTP\/1\.1 200 /.test(client.text())),
  );
});

test.serial('at the limit of all connections, the longest idle one is evicted', async (t) => {
  const { env } = await upstream(t, (_request, response) => response.end('{}'));
  const { url } = await gatewayIn(t, { env: { ...env, GATEWAY_CONNECTIONS: '16' } });
  const idle = await Promise.all(
    Array.from({ length: 20 }, (_, i) => rawClient(t, url, 'GET / HTTP/1.1\r\nX: ', `127.0.0.${2 + i}`)),
  );
  await pollUntil('there are no more than 16', async () => idle.filter(({ socket }) => !socket.destroyed).length <= 16);
  const one = await rawClient(t, url, line('GET', '/v1/teams', 'Connection: close'), '127.0.0.99');
  await one.over;
  t.regex(one.text(), /^HTTP\/1\.1 200 /);
});

test.serial('pipelined requests are handled one by one, and their number is limited', async (t) => {
  let [under_way, most, all] = [0, 0, 0];
  const { env } = await upstream(t, (_request, response) => {
    under_way += 1;
    all += 1;
    most = Math.max(most, under_way);
    setImmediate(() => {
      under_way -= 1;
      response.end('{}');
    });
  });
  const { url } = await gatewayIn(t, { env });
  const few = await rawClient(t, url, line('GET', '/v1/teams').repeat(20));
  await pollUntil('all are answered', async () => few.text().split('HTTP/1.1 200').length === 21);
  t.is(most, 1);
  all = 0;
  const many = await rawClient(t, url, line('GET', '/v1/teams').repeat(1_000));
  await many.over;
  t.true(all < 100);
});

test.serial('pipelined requests that the gateway answers itself are limited too', async (t) => {
  const { env } = await heldApi(t);
  const { url } = await gatewayIn(t, { env });
  for (const [method, path] of [
    ['OPTIONS', '/v1/teams'],
    ['GET', '/nothing'],
    ['PUT', '/v1/teams'],
  ] as const) {
    const few = await rawClient(t, url, line(method, path).repeat(20));
    await pollUntil('all requests are answered', async () => few.text().split('HTTP/1.1 ').length === 21);
    const many = await rawClient(t, url, line(method, path).repeat(1_000) + line(method, path, 'Connection: close'));
    await many.over;
    t.true(many.text().split('HTTP/1.1 ').length < 100, method);
  }
});

test.serial('pipelined requests without a key do not delay one with a key', async (t) => {
  const { env } = await heldApi(t);
  let refused = 0;
  const onLine = (text: string): void => {
    refused += text.includes('"status":404') ? 1 : 0;
  };
  const { url } = await gatewayIn(t, { env, onLine });
  const [ahead, connections] = [20, 50];
  const honest = await rawClient(t, url, KEYED);
  await pollUntil('the key of the connection is known', async () => isAnswered(honest));
  const others = await Promise.all(Array.from({ length: connections }, () => rawClient(t, url, '')));
  const answered = once(honest.socket, 'data').then(() => refused);
  for (const { socket } of others) socket.write(line('GET', '/nothing').repeat(ahead));
  honest.socket.write(KEYED);
  const before = await answered;
  t.true(before < connections / 2, `${before} were answered before`);
  await pollUntil('all requests are answered', async () => refused === connections * ahead);
});

test.serial('requests of a disconnected client are aborted', async (t) => {
  const seen: string[] = [];
  const { env } = await upstream(t, (request, response) => {
    seen.push(request.url ?? '');
    response.once('close', () => seen.push('closed'));
    if (request.url === '/v1/teams') response.end('{}');
  });
  const { url } = await gatewayIn(t, { env });
  const posting = await rawClient(t, url, SLOW_POST);
  const asking = await rawClient(t, url, line('GET', '/v1/teams/never'));
  await pollUntil('the request is running', async () => seen.includes('/v1/teams/never'));
  asking.socket.destroy();
  posting.socket.destroy();
  await pollUntil('the request is aborted', async () => seen.includes('closed'));
  t.is((await fetch(`${url}/v1/teams`)).status, 200);
  t.deepEqual(
    seen.filter((one) => one !== 'closed'),
    ['/v1/teams/never', '/v1/teams'],
    'half a body is not forwarded',
  );
});

test.serial('a body arrives unchanged in any chunks', async (t) => {
  const bodies: string[] = [];
  const { env } = await upstream(t, (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push(`${request.headers['content-length']} ${request.headers['transfer-encoding']} ${body}`);
      response.end('{}');
    });
  });
  const { url } = await gatewayIn(t, { env });
  const text = JSON.stringify({ text: 'ü'.repeat(10_000) });
  const raw = Buffer.from(text);
  const pieces = Array.from(raw, (byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('');
  const head = line('POST', '/v1/renders', 'Transfer-Encoding: chunked', 'Connection: close');
  const bytewise = await rawClient(t, url, `${head}${pieces}0\r\n\r\n`);
  await bytewise.over;
  t.is((await post(url, text)).status, 200);
  t.is((await fetch(`${url}/v1/renders`, { method: 'POST' })).status, 200);
  t.deepEqual(bodies, [`${raw.length} undefined ${text}`, `${raw.length} undefined ${text}`, '0 undefined ']);
});

const heldApi = async (t: ExecutionContext) => {
  const held = Promise.withResolvers<void>();
  let asked = 0;
  const { env } = await upstream(t, (request, response) => {
    asked += 1;
    if (request.headers.authorization !== undefined) response.setHeader('RateLimit-Limit', '100');
    if (request.url?.endsWith('?held')) void held.promise.then(() => response.end('{}'));
    else response.end('{}');
  });
  return { env, release: held.resolve, asked: () => asked };
};

const isAnswered = (client: RawClient): boolean => /^HTTP\/1\.1 200 /.test(client.text());

const KEYED = line('GET', '/v1/teams', 'Authorization: Bearer a');

test.serial('idle connections of valid keys make room before a new client does', async (t) => {
  const { env } = await heldApi(t);
  const { url } = await gatewayIn(t, {
    env: { ...env, GATEWAY_CONNECTIONS: '16' },
    eviction_timeouts: { new_ms: 20_000, authenticated_ms: 0 },
  });
  const idle = await Promise.all(Array.from({ length: 16 }, (_, i) => rawClient(t, url, KEYED, `127.0.0.${2 + i}`)));
  await pollUntil('all requests are answered', async () => idle.every(isAnswered));
  const newcomers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => rawClient(t, url, 'GET /v1/teams HTTP/1.1\r\nHost: ', `127.0.0.${50 + i}`)),
  );
  await pollUntil('a connection was evicted', async () => idle.filter(({ socket }) => socket.destroyed).length === 8);
  for (const { socket } of newcomers) socket.write('a\r\n\r\n');
  await pollUntil('each new client is answered', async () => newcomers.every(isAnswered));
  t.false(newcomers.some(({ socket }) => socket.destroyed));
});

test.serial('a recently used valid key keeps its connection under load', async (t) => {
  const { env } = await heldApi(t);
  const { url } = await gatewayIn(t, { env: { ...env, GATEWAY_CONNECTIONS_PER_ADDRESS: '3' } });
  const known = await rawClient(t, url, KEYED);
  await pollUntil('the client is answered', async () => isAnswered(known));
  const silent = await Promise.all(Array.from({ length: 8 }, () => rawClient(t, url, '')));
  await pollUntil('a connection was evicted', async () => silent.filter(({ socket }) => socket.destroyed).length === 6);
  t.false(known.socket.destroyed);
});

test.serial('requests that need no key do not block others of their address', async (t) => {
  const { env, asked } = await heldApi(t);
  const { url } = await gatewayIn(t, { env: { ...env, GATEWAY_CONNECTIONS_PER_ADDRESS: '3' } });
  const docs = await Promise.all(Array.from({ length: 3 }, () => rawClient(t, url, line('GET', '/?held'))));
  await pollUntil('all requests have reached the API', async () => asked() === 3);
  const newcomer = await rawClient(t, url, KEYED);
  await pollUntil('the new client is answered', async () => isAnswered(newcomer));
  t.is(docs.filter(({ socket }) => socket.destroyed).length, 1);
});

test.serial('a client without a valid key is evicted before an earlier one', async (t) => {
  const { env } = await heldApi(t);
  const { url } = await gatewayIn(t, { env: { ...env, GATEWAY_CONNECTIONS_PER_ADDRESS: '3' } });
  const newcomer = await rawClient(t, url, 'GET /v1/teams HTTP/1.1\r\nHost: ');
  for (let i = 0; i < 10; i += 1) {
    const docs = await rawClient(t, url, line('GET', '/v1/docs'));
    await pollUntil('the client is answered', async () => isAnswered(docs));
  }
  newcomer.socket.write('a\r\n\r\n');
  await pollUntil('the new client is answered', async () => isAnswered(newcomer));
  t.false(newcomer.socket.destroyed);
});

test.serial('a client that sends a body outlives silent new clients', async (t) => {
  const { env } = await heldApi(t);
  const { url } = await gatewayIn(t, { env: { ...env, GATEWAY_CONNECTIONS_PER_ADDRESS: '3' } });
  const key = mintApiKey(randomBytes(32), sha256Hex)?.key;
  const head = line('POST', '/v1/renders', 'Content-Length: 2', 'Expect: 100-continue', `Authorization: Bearer ${key}`);
  const newcomer = await rawClient(t, url, head);
  await pollUntil('its head was read', async () => /^HTTP\/1\.1 100 /.test(newcomer.text()));
  const silent = await Promise.all(Array.from({ length: 8 }, () => rawClient(t, url, '')));
  await pollUntil('a connection was evicted', async () => silent.filter(({ socket }) => socket.destroyed).length >= 6);
  newcomer.socket.write('{}');
  await pollUntil('the new client is answered', async () => newcomer.text().includes('HTTP/1.1 200 '));
  t.false(newcomer.socket.destroyed);
});

test.serial('a client that disconnects is no fault of the service', async (t) => {
  const { env } = await heldApi(t);
  const lines: string[] = [];
  const { url } = await gatewayIn(t, { env, onLine: (text) => void lines.push(text) });
  const broken = await rawClient(t, url, `${line('GET', '/v1/teams')}\0`);
  await broken.over;
  const seen = () => lines.map((text) => JSON.parse(text)).find(({ route }) => route === '/v1/teams');
  await pollUntil('the disconnect is in the log', async () => seen() !== undefined);
  t.like(seen(), { level: 'info', status: 444 });
});

test.serial('a client can be silent for as long as a request can take', async (t) => {
  const { env } = await upstream(t, (_request, response) => response.end());
  for (const name of ['GATEWAY_REQUEST_TIMEOUT_S', 'GATEWAY_ANSWER_TIMEOUT_S'])
    t.is((await gatewayIn(t, { env: { ...env, [name]: '600' } })).timeout_ms, 600_000, name);
  t.is((await gatewayIn(t, { env })).timeout_ms, 120_000);
});
