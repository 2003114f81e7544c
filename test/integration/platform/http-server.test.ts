import { once } from 'node:events';
import { connect } from 'node:net';
import anyTest, { type TestFn } from 'ava';
import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Server } from 'restify';
import { createHealthServer } from '../../../platform/http-server/health.ts';
import { addRoute } from '../../../platform/http-server/route.ts';
import { createServer, drainServer, type Timeouts } from '../../../platform/http-server/server.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { createReadiness, type Readiness } from '../../../platform/process/readiness.ts';
import { SERVICE_VERSION } from '../../../platform/process/version.ts';
import { pollUntil } from '../../../stack/testing/until.ts';

type Line = { readonly request_id?: string; readonly status?: number; readonly msg: string };

type World = {
  readonly server: Server;
  readonly url: string;
  readonly health: Server;
  readonly health_url: string;
  readonly readiness: Readiness;
  readonly lines: () => readonly Line[];
  /** When resolved, /v1/held answers. */
  readonly held: PromiseWithResolvers<void>;
};

const test = anyTest as TestFn<World>;

/** Time limits for tests that let requests time out, long enough for other requests on a busy machine. */
const SHORT = { headers_ms: 1_500, request_ms: 1_500, look_ms: 50 };

const served = async (timeouts?: Timeouts): Promise<World> => {
  const lines: string[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
  const readiness = createReadiness();
  const held = Promise.withResolvers<void>();
  const metrics = createMetrics('test');
  const server = createServer({
    name: 'test',
    logger,
    metrics,
    readiness,
    ...(timeouts === undefined ? {} : { timeouts }),
  });
  const health = createHealthServer({ name: 'health', logger, metrics, readiness });
  addRoute(server, logger, 'GET', '/v1/things/{id}', async ({ params, query }) =>
    right({
      status: 200,
      body: { id: params.id, a: query.get('a') },
      headers: { 'Cache-Control': 'private, no-store' },
    }),
  );
  addRoute(server, logger, 'POST', '/v1/things', async (request) => {
    const body = await request.json();
    return isLeft(body) ? body : right({ status: 201, body: { got: body.right } });
  });
  addRoute(server, logger, 'GET', '/v1/broken', async () => Promise.reject(new Error('the password is 1234')));
  addRoute(server, logger, 'GET', '/v1/busy', async () =>
    left({ tag: 'unavailable', message: 'Kafka is away; nothing was changed', retry_after_s: 2 }),
  );
  addRoute(server, logger, 'GET', '/v1/held', async () => {
    await held.promise;
    return right({ status: 200, body: {} });
  });
  for (const one of [server, health]) {
    one.listen(0, '127.0.0.1');
    await once(one.server, 'listening');
  }
  const urls = { url: server.url, health_url: health.url };
  return { server, health, ...urls, readiness, held, lines: () => lines.map((line) => JSON.parse(line)) };
};

test.beforeEach(async (t) => {
  t.context = await served();
});

test.afterEach.always(async (t) => {
  await Promise.all([drainServer(t.context.server), drainServer(t.context.health)]);
});

const asked = async (url: string, options: RequestInit = {}) => {
  const answer = await fetch(url, options);
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
};

const posted = (url: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  asked(`${url}/v1/things`, {
    method: 'POST',
    body: new Uint8Array(Buffer.from(body)),
    headers: { 'content-type': 'application/json', ...headers },
  });

const HOP_BY_HOP = ['connection', 'keep-alive'];

const raw = async (url: string, text: string, afterwards?: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(text, 'latin1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  if (afterwards !== undefined) socket.once('data', () => socket.write(afterwards));
  await Promise.race([once(socket, 'close'), once(socket, 'error')]);
  return Buffer.concat(chunks).toString();
};

test('a route answers with status, body, headers and its own request id', async (t) => {
  const { status, headers, body } = await asked(`${t.context.url}/v1/things/t%201?a=b%26`, {
    headers: { 'x-request-id': 'a.person@example.com' },
  });
  t.is(status, 200);
  t.deepEqual(body, { id: 't 1', a: 'b&' });
  t.is(headers.get('content-type'), 'application/json');
  t.is(headers.get('cache-control'), 'private, no-store');
  t.regex(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
});

test('HEAD answers as GET does, without the body', async (t) => {
  const get = await asked(`${t.context.url}/v1/things/1`);
  const head = await asked(`${t.context.url}/v1/things/1`, { method: 'HEAD' });
  t.is(head.status, 200);
  t.is(head.body, undefined);
  t.is(head.headers.get('content-length'), get.headers.get('content-length'));
});

test('every refusal has the same form', async (t) => {
  const { url } = t.context;
  const big = `"${'x'.repeat(300_000)}"`;
  const gzip = { 'content-encoding': 'gzip' };
  const answers = {
    'unknown address': await asked(`${url}/v2`),
    'unknown method': await asked(`${url}/v1/things`, { method: 'PUT' }),
    'bad encoding': await asked(`${url}/v1/things/%ff`),
    'a handler that throws': await asked(`${url}/v1/broken`),
    unavailable: await asked(`${url}/v1/busy`),
    'bad JSON': await posted(url, '{'),
    'an empty body': await posted(url, ''),
    'too large': await posted(url, big),
    'another type': await posted(url, '{}', { 'content-type': 'text/plain' }),
    'another charset': await posted(url, '{}', { 'content-type': 'application/json; charset=latin1' }),
    compressed: await posted(url, '{}', gzip),
  };
  for (const [name, { body, headers }] of Object.entries(answers)) {
    t.deepEqual(Object.keys(body), ['error', 'code'], name);
    t.is(typeof body.error, 'string', name);
    t.truthy(headers.get('x-request-id'), name);
    t.is(headers.get('content-type'), 'application/json', name);
  }
  t.deepEqual(
    Object.values(answers).map(({ status }) => status),
    [404, 405, 400, 500, 503, 400, 400, 413, 415, 415, 415],
  );
  t.is(answers['unknown method'].headers.get('allow'), 'POST');
  t.is(answers.unavailable.headers.get('retry-after'), '2');
  t.false(JSON.stringify(answers).includes('1234'), 'nothing internal is shown');
});

test('a body without a length is bounded, too', async (t) => {
  const { status } = await asked(`${t.context.url}/v1/things`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Blob([`"${'x'.repeat(300_000)}"`]).stream(),
    duplex: 'half',
  });
  t.is(status, 413);
});

test('malformed HTTP gets an answer in the usual form', async (t) => {
  const { url } = t.context;
  t.regex(await raw(url, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 [\s\S]*\{"error":"/);
  const large = await raw(url, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
  t.regex(large, /^HTTP\/1\.1 431 [\s\S]*\{"error":"the headers are larger/);
  const host = await raw(url, 'GET /v1/things/1 HTTP/1.1\r\nHost: a b:c\r\nConnection: close\r\n\r\n');
  t.regex(host, /^HTTP\/1\.1 400 [\s\S]*\{"error":"/);
  t.is((await asked(`${url}/v1/things/1`)).status, 200, 'and the server continues');
});

test('a request refused before routing has the same id in answer and log', async (t) => {
  const { url, lines } = t.context;
  const refused: readonly (readonly [string, RegExp])[] = [
    ['nonsense\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', /^HTTP\/1\.1 400 /],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^HTTP\/1\.1 400 /],
    [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
    [`GET /?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, /^HTTP\/1\.1 431 /],
    ['GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    ['CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['GET / HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 417 /],
  ];
  for (const [text, status] of refused) {
    const answer = await raw(url, text);
    t.regex(answer, status);
    t.regex(answer, /\r\nContent-Type: application\/json\r\n/, text);
    t.regex(answer, /\r\n\r\n\{"error":"[^"]+","code":"[a-z_]+"\}$/, text);
    const ids = Array.from(answer.matchAll(/^X-Request-Id: (.*)\r$/gm), ([, id]) => id);
    t.is(ids.length, 1, text);
    t.is(lines().filter(({ request_id }) => request_id === ids[0]).length, 1, text);
  }
});

test('a refusal before routing is never sent for another request', async (t) => {
  const { url, held } = t.context;
  const waiting = raw(url, 'GET /v1/held HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n');
  t.is(await waiting, '', 'the first request was still running');
  held.resolve();

  const after = await raw(url, 'GET /v1/things/1 HTTP/1.1\r\nHost: a\r\n\r\n', 'nonsense\r\n\r\n');
  t.deepEqual(
    Array.from(after.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status),
    ['200', '400'],
  );
});

test('a request that arrives too slowly gets 408', async (t) => {
  const { server, health, url, lines } = await served(SHORT);
  t.teardown(() => Promise.all([drainServer(server), drainServer(health)]));
  const headers = await raw(url, 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ');
  t.regex(
    headers,
    /^HTTP\/1\.1 408 [\s\S]*\{"error":"the request took too long to arrive","code":"request_timeout"\}$/,
  );
  const start = 'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{';
  const body = await raw(url, start);
  t.regex(body, /^HTTP\/1\.1 408 [\s\S]*\{"error":"the request took too long to arrive","code":"request_timeout"\}$/);
  const id = /X-Request-Id: (.*)\r/.exec(body)?.[1];
  t.true(lines().some(({ request_id, status }) => request_id === id && status === 408));
  t.regex(body, /\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n/);
  const chunks = await raw(
    url,
    start.replace('Content-Length: 10', 'Transfer-Encoding: chunked').replace('{', '1\r\n{\r\n'),
  );
  t.regex(chunks, /^HTTP\/1\.1 408 /);
});

test('a body that the server does not read is not answered twice', async (t) => {
  const { server, health, url } = await served(SHORT);
  t.teardown(() => Promise.all([drainServer(server), drainServer(health)]));
  const answer = await raw(
    url,
    'POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
  );
  t.deepEqual(
    Array.from(answer.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status),
    ['404'],
  );
});

test('HEAD is refused as GET is', async (t) => {
  const { url, health_url, readiness } = t.context;
  readiness.set('kafka', 'no broker answers');
  const paths = ['/v1/things/1', '/v1/broken', '/v1/busy', '/v1/nothing', '/v1/things/%ff'];
  const health_paths = ['/health/live', '/health/ready', '/metrics'];
  const asks = [...paths.map((path) => [url, path]), ...health_paths.map((path) => [health_url, path])] as const;
  for (const [base, path = ''] of asks) {
    const [get, head] = [await fetch(`${base}${path}`), await fetch(`${base}${path}`, { method: 'HEAD' })];
    t.is(head.status, get.status, path);
    t.is(await head.text(), '', path);
    const names = ({ headers }: Response) => [...headers.keys()].filter((name) => !HOP_BY_HOP.includes(name));
    t.deepEqual(names(head), names(get), path);
    if (path !== '/metrics' && path !== '/v1/broken')
      t.is(head.headers.get('content-length'), get.headers.get('content-length'), path);
    await get.text();
  }
});

test('the number of parameters is bounded', async (t) => {
  const { url } = t.context;
  t.is((await asked(`${url}/v1/things/1?${'a&'.repeat(99)}a=b`)).status, 200);
  const { status, body } = await asked(`${url}/v1/things/1?${'a&'.repeat(100)}a=b`);
  t.is(status, 400);
  t.deepEqual(body, { error: 'the address has more than 100 query parameters', code: 'malformed_request' });
});

test('a request that cannot be routed is counted and logged', async (t) => {
  const { url, health_url, lines } = t.context;
  const { headers } = await asked(`${url}/v1/things/%ff`);
  const request_id = headers.get('x-request-id');
  t.like(
    lines().find((line) => line.request_id === request_id),
    { msg: 'request', route: 'none', status: 400 },
  );
  t.regex(await (await fetch(`${health_url}/metrics`)).text(), /method="GET",route="none",status="400"/);
});

test('the server allows a continuation before a body is sent', async (t) => {
  const answer = await raw(
    t.context.url,
    'POST /v1/things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n{}',
  );
  t.regex(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
});

test('readiness names what is missing, and liveness ignores it', async (t) => {
  const { health_url, readiness } = t.context;
  t.deepEqual((await asked(`${health_url}/health/ready`)).body, { ready: true, version: SERVICE_VERSION });
  readiness.set('kafka', 'no broker answers');
  const { status, body } = await asked(`${health_url}/health/ready`);
  t.is(status, 503);
  t.deepEqual(body, {
    error: 'not ready: kafka: no broker answers',
    ready: false,
    version: SERVICE_VERSION,
    missing: { kafka: 'no broker answers' },
  });
  const live = await asked(`${health_url}/health/live`);
  t.is(live.status, 200);
  t.deepEqual(live.body, { live: true, version: SERVICE_VERSION });
});

test('an unknown address does not get 404 while the component starts', async (t) => {
  const { url, readiness } = t.context;
  readiness.set('start', 'the component is starting');
  t.like(await asked(`${url}/v1/later`), { status: 503, body: { error: 'the service is starting' } });
});

test('metrics count requests by route', async (t) => {
  const { url, health_url } = t.context;
  await asked(`${url}/v1/things/1`);
  const text = await (await fetch(`${health_url}/metrics`)).text();
  t.regex(text, /http_request_duration_seconds_count\{.*method="GET",route="\/v1\/things\/:id",status="200"/);
});

test("a handler's signal aborts when its client disconnects, not after the answer", async (t) => {
  const { server } = t.context;
  const told: AbortSignal[] = [];
  const asked = Promise.withResolvers<void>();
  addRoute(server, createLogger('test', 'silent'), 'GET', '/v1/long', async (request) => {
    const signal = request.gone();
    told.push(signal);
    if (request.query.get('wait') === null) return right({ status: 200, body: {} });
    asked.resolve();
    await once(signal, 'abort');
    return right({ status: 200, body: {} });
  });
  t.is((await fetch(`${t.context.url}/v1/long`)).status, 200);
  const leaving = new AbortController();
  const gone = fetch(`${t.context.url}/v1/long?wait=1`, { signal: leaving.signal });
  await asked.promise;
  leaving.abort();
  await t.throwsAsync(gone);
  await pollUntil("the handler's signal is aborted", async () => told[1]?.aborted === true);
  t.false(told[0]?.aborted);
});

test('a drain answers open requests and accepts no new ones', async (t) => {
  const { server, url } = t.context;
  const logger = createLogger('test', 'silent');
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  addRoute(server, logger, 'GET', '/v1/slow', async () => {
    begin();
    await held;
    return right({ status: 200, body: {} });
  });
  const slow = asked(`${url}/v1/slow`);
  await begun;
  const drained = drainServer(server);
  await t.throwsAsync(fetch(`${url}/v1/things/1`));
  release();
  t.is((await slow).status, 200);
  await drained;
});
