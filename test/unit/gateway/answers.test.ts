import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createSocketServer, type Server as SocketServer } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { left, right } from 'fp-ts/lib/Either.js';
import { addFallbackRoutes } from '../../../platform/http-server/fallback-routes.ts';
import { addRoute } from '../../../platform/http-server/route.ts';
import { createServer, drainServer } from '../../../platform/http-server/server.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';
import { allowedMethodsAt } from '../../../schemas/http/routes.ts';
import { gatewayIn } from './_gateway.ts';

const ORIGIN = 'https://app.example.com';

type Line = { readonly request_id?: string; readonly status?: number };

const serverWith = (lines: string[], timeout_ms: number) =>
  createServer({
    name: 'test',
    logger: createLogger('test', 'debug', { write: (line) => void lines.push(line) }),
    metrics: createMetrics('test'),
    readiness: createReadiness(),
    timeouts: { headers_ms: timeout_ms, request_ms: timeout_ms, look_ms: 50 },
  });

const gatewayBefore = async (
  t: ExecutionContext,
  commands_url: string,
  queries_url: string,
  { request_ms = 20_000, answer_ms = 20_000 } = {},
) => {
  const lines: string[] = [];
  const { url } = await gatewayIn(t, {
    env: { COMMAND_API_URL: commands_url, QUERY_API_URL: queries_url },
    origins: [ORIGIN],
    request_ms,
    answer_ms,
    onLine: (line) => void lines.push(line),
  });
  return { url, lines: (): readonly Line[] => lines.map((line) => JSON.parse(line)) };
};

/** An API with the routes of both APIs, so that it can be either. */
const anApi = async (t: ExecutionContext) => {
  const lines: string[] = [];
  const api = serverWith(lines, 20_000);
  const logger = createLogger('test', 'silent');
  addRoute(api, logger, 'GET', '/v1/teams', async () => right({ status: 200, body: { data: [] } }));
  addRoute(api, logger, 'GET', '/v1/teams/{id}', async () => left({ tag: 'not_found', message: 'no such team' }));
  addRoute(api, logger, 'POST', '/v1/renders', async (request) => {
    const body = await request.json();
    return body._tag === 'Left'
      ? body
      : right({ status: 201, body: body.right, headers: { Location: '/v1/renders/1' } });
  });
  addFallbackRoutes(api, [ORIGIN]);
  api.listen(0, '127.0.0.1');
  await once(api.server, 'listening');
  t.teardown(() => drainServer(api));
  return { url: api.url, lines: (): readonly Line[] => lines.map((line) => JSON.parse(line)) };
};

const thatSays = async (t: ExecutionContext, text: string): Promise<string> => {
  const server: SocketServer = createSocketServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(text);
      setImmediate(() => socket.destroySoon());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
};

const raw = async (url: string, text: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(text, 'latin1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await Promise.race([once(socket, 'close'), once(socket, 'error')]);
  return Buffer.concat(chunks).toString();
};

const idsIn = (answer: string) => Array.from(answer.matchAll(/^x-request-id: (.*)\r$/gim), ([, id]) => id);

const plain = (line: string) => `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;

test("an answer's request id is in the logs of gateway and component", async (t) => {
  const api = await anApi(t);
  const { url, lines } = await gatewayBefore(t, api.url, api.url);
  const cases: readonly (readonly [request: string, status: number, ofApi: boolean])[] = [
    [plain('GET /v1/teams'), 200, true],
    [plain('HEAD /v1/teams'), 200, true],
    [plain('GET /v1/teams/x'), 404, true],
    [plain('GET /v1/nothing'), 404, false],
    [plain('DELETE /v1/teams'), 405, false],
    [plain('OPTIONS /v1/renders'), 204, false],
    [plain('POST /v1/renders'), 415, true],
    [plain('GET /elsewhere'), 404, false],
    [plain('TRACE /v1/teams'), 405, false],
    [plain('GET /v1/teams/%ff'), 400, false],
    [plain(`GET /v1/teams?${'a&'.repeat(101)}`), 400, false],
    ['nonsense\r\n\r\n', 400, false],
    [`GET /v1/teams HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, false],
  ];
  for (const [request, status, ofApi] of cases) {
    const answer = await raw(url, request);
    const name = request.slice(0, 40);
    t.regex(answer, new RegExp(`^HTTP/1\\.1 ${status} `), name);
    if (status >= 400) t.regex(answer, /^Cache-Control: no-store\r$/im, `${name} is not cached`);
    const ids = idsIn(answer);
    t.is(ids.length, 1, name);
    t.true(
      lines().some(({ request_id, status: logged }) => request_id === ids[0] && logged === status),
      name,
    );
    t.is(
      api.lines().some(({ request_id }) => request_id === ids[0]),
      ofApi,
      name,
    );
    if (status >= 400 && !request.startsWith('HEAD'))
      t.regex(answer, /\r\n\r\n\{"error":"[^"]+","code":"[a-z_]+"\}$/, name);
  }
});

test('a method that a path lacks gets the same answer from every component', async (t) => {
  const api = await anApi(t);
  const { url } = await gatewayBefore(t, api.url, api.url);
  for (const path of ['/v1/renders', '/v1/teams/x', '/v1/openapi.json']) {
    const allow = allowedMethodsAt(path)?.join(', ');
    for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'MKCOL']) {
      const answer = await raw(url, plain(`${method} ${path}`));
      t.regex(answer, /^HTTP\/1\.1 405 /, `${method} ${path}`);
      t.is(/^allow: (.*)\r$/im.exec(answer)?.[1], allow, `${method} ${path}`);
    }
    t.regex(await raw(url, plain(`OPTIONS ${path}`)), /^HTTP\/1\.1 204 /);
  }
});

test('HEAD gives the answer of GET without the body', async (t) => {
  const api = await anApi(t);
  const { url } = await gatewayBefore(t, api.url, api.url);
  const comparable = (answer: string) =>
    answer
      .split('\r\n\r\n')[0]
      ?.split('\r\n')
      .filter((line) => !/^(date|x-request-id|http)/i.test(line))
      .sort();
  for (const path of ['/v1/teams', '/v1/teams/x', '/v1/nothing', '/nowhere', '/v1/teams/%ff', '/health/live']) {
    const [get, head] = [await raw(url, plain(`GET ${path}`)), await raw(url, plain(`HEAD ${path}`))];
    t.is(head.split('\r\n')[0], get.split('\r\n')[0], path);
    t.deepEqual(comparable(head), comparable(get), path);
    t.is(head.split('\r\n\r\n')[1], '', path);
  }
});

test('a page can call through the gateway, with preflight, and reads errors', async (t) => {
  const api = await anApi(t);
  const { url } = await gatewayBefore(t, 'http://127.0.0.1:1', api.url);
  const preflight = await fetch(`${url}/v1/renders`, {
    method: 'OPTIONS',
    headers: {
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    },
  });
  t.is(preflight.status, 204);
  t.is(preflight.headers.get('access-control-allow-origin'), ORIGIN);
  t.is(preflight.headers.get('access-control-allow-methods'), 'GET,HEAD,POST');
  for (const [method, path, status] of [
    ['GET', '/v1/teams', 200],
    ['POST', '/v1/renders', 503],
    ['GET', '/nowhere', 404],
  ] as const) {
    const answer = await fetch(`${url}${path}`, { method, headers: { Origin: ORIGIN } });
    t.is(answer.status, status);
    t.is(answer.headers.get('access-control-allow-origin'), ORIGIN, 'once');
    t.is(answer.headers.get('vary'), 'Origin');
    await answer.text();
  }
});

test('an invalid answer of an API becomes a 502, which no cache keeps', async (t) => {
  for (const said of ['what?\r\n\r\n', 'HTTP/1.1 200 OK\r\nBad Header\r\n\r\n', '']) {
    const broken = await thatSays(t, said);
    const { url } = await gatewayBefore(t, broken, broken);
    const read = await raw(url, plain('GET /v1/teams'));
    t.regex(
      read,
      /^HTTP\/1\.1 502 [\s\S]*\r\nRetry-After: 1\r\n[\s\S]*\r\n\r\n\{"error":"[^"]*try again","code":"no_answer"\}$/,
    );
    t.is(idsIn(read).length, 1);
    const posted = await raw(url, plain('POST /v1/renders'));
    t.regex(posted, /^HTTP\/1\.1 502 [\s\S]*outcome is unknown/);
    for (const answer of [read, posted]) t.regex(answer, /^Cache-Control: no-store\r$/m);
  }
});

test('a timeout of an API becomes a 502', async (t) => {
  const silent = createSocketServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const api = `http://127.0.0.1:${port}`;
  const { url } = await gatewayBefore(t, api, api, { answer_ms: 2_000 });
  t.regex(await raw(url, plain('POST /v1/renders')), /^HTTP\/1\.1 502 [\s\S]*outcome is unknown/);
});

test('a broken answer becomes a 502, and none of it reaches the client', async (t) => {
  for (const said of [
    'HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n{',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
  ]) {
    const broken = await thatSays(t, said);
    const { url } = await gatewayBefore(t, broken, broken);
    const answer = await raw(url, plain('GET /v1/teams'));
    t.regex(answer, /^HTTP\/1\.1 502 [\s\S]*\r\n\r\n\{"error":"[^"]*try again","code":"no_answer"\}$/);
    t.regex(await raw(url, plain('POST /v1/renders')), /^HTTP\/1\.1 502 [\s\S]*outcome is unknown/);
  }
});

test('the gateway answers a slow body with 408', async (t) => {
  const api = await anApi(t);
  const { url } = await gatewayBefore(t, api.url, api.url, { request_ms: 1_500 });
  const head = 'POST /v1/renders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{';
  const answer = await raw(url, head);
  t.regex(answer, /^HTTP\/1\.1 408 [\s\S]*\{"error":"the request took too long to arrive","code":"request_timeout"\}$/);
  t.is(idsIn(answer).length, 1);
});

test('hop-by-hop headers do not pass', async (t) => {
  const api = await anApi(t);
  const { url } = await gatewayBefore(t, api.url, api.url);
  const upgrade = 'GET /v1/teams HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n';
  t.regex(await raw(url, upgrade), /^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\r\n/i);
  const body = '{"a":1}';
  const expecting = `POST /v1/renders HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  t.regex(await raw(url, expecting), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 [\s\S]*\r\n\r\n\{"a":1\}$/);
  const large = `"${'x'.repeat(400_000)}"`;
  const tooLarge = await fetch(`${url}/v1/renders`, {
    method: 'POST',
    body: large,
    headers: { 'Content-Type': 'application/json' },
  });
  t.is(tooLarge.status, 413);
});

test('the gateway does not connect to an address that a client names', async (t) => {
  const api = await anApi(t);
  const { url } = await gatewayBefore(t, api.url, api.url);
  t.regex(await raw(url, plain('GET http://169.254.0.1/v1/teams')), /^HTTP\/1\.1 200 /);
  t.regex(await raw(url, plain('GET //169.254.0.1/v1/teams')), /^HTTP\/1\.1 400 /);
});
