import { once } from 'node:events';
import { request } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { left, right } from 'fp-ts/lib/Either.js';
import { addFallbackRoutes } from '../../../platform/http-server/fallback-routes.ts';
import { sendStatic, staticResponse } from '../../../platform/http-server/fixed-answer.ts';
import { addRoute } from '../../../platform/http-server/route.ts';
import { createServer, drainServer } from '../../../platform/http-server/server.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';
import { ROUTES } from '../../../schemas/http/routes.ts';

const served = async (t: ExecutionContext, origins?: readonly string[]) => {
  const logger = createLogger('test', 'silent');
  const server = createServer({ name: 'test', logger, metrics: createMetrics('test'), readiness: createReadiness() });
  addRoute(server, logger, 'GET', '/v1/teams', async () => right({ status: 200, body: { data: [] } }));
  addRoute(server, logger, 'GET', '/v1/teams/{id}', async () => left({ tag: 'not_found', message: 'no such team' }));
  const document = staticResponse(Buffer.from('{}'), 'application/json');
  server.get('/v1/openapi.json', async (incoming, response) => await sendStatic(incoming, response, document));
  addFallbackRoutes(server, origins);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  t.teardown(() => drainServer(server));
  return server.url;
};

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
};

/** Sends any method and path unchanged, which fetch does not. */
const asked = (url: string, method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    request({ hostname, port, method, path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() });
      });
    })
      .on('error', reject)
      .end();
  });

const methodsAt = (path: string): string => {
  const methods = Object.keys(Object(ROUTES)[path]);
  return [
    ...(methods.includes('GET') ? ['GET', 'HEAD'] : []),
    'OPTIONS',
    ...(methods.includes('POST') ? ['POST'] : []),
  ].join(', ');
};

const concrete = (path: string): string => path.replace(/\{\w+\}/g, 'x');

test('a method that a path lacks gets 405 with the methods of all components', async (t) => {
  const url = await served(t);
  for (const path of Object.keys(ROUTES)) {
    const allow = methodsAt(path);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'SEARCH', 'M-SEARCH']) {
      if (allow.includes(method)) continue;
      const { status, headers, text } = await asked(url, method, concrete(path));
      t.is(status, 405, `${method} ${path}`);
      t.is(headers.allow, allow, `${method} ${path}`);
      t.is(typeof headers['x-request-id'], 'string');
      t.deepEqual(Object.keys(JSON.parse(text)), ['error', 'code']);
    }
  }
});

test('OPTIONS lists the methods of a path', async (t) => {
  const url = await served(t);
  for (const path of Object.keys(ROUTES)) {
    const { status, headers, text } = await asked(url, 'OPTIONS', concrete(path));
    t.is(status, 204, path);
    t.is(headers.allow, methodsAt(path), path);
    t.is(text, '');
    t.is(headers['access-control-allow-origin'], undefined, 'no page may call it unless configured');
  }
  t.like(await asked(url, 'OPTIONS', '*'), { status: 204, headers: { allow: 'GET, HEAD, OPTIONS, POST' } });
});

test('a path that the interface lacks gets 404 for every method', async (t) => {
  const url = await served(t);
  const paths = [
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v1/renders/x/transitions/',
    '/V1/teams',
    '/v1/renders/x/y',
    '/v1/renders/x/transitions/y',
    '/v2/renders',
    `/v1/x${'x'.repeat(3_000)}`,
    '/favicon.ico',
  ];
  for (const path of paths) {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'TRACE']) {
      const { status, text } = await asked(url, method, path);
      t.is(status, 404, `${method} ${path}`);
      if (method !== 'HEAD') t.deepEqual(Object.keys(JSON.parse(text)), ['error', 'code']);
      t.true(text.length < 200, "the client's text is cut");
    }
  }
});

test('a path is the same in any percent-encoding', async (t) => {
  const url = await served(t);
  for (const path of ['/v1/teams', '/v1/%74eams', 'http://elsewhere/v1/teams', '/v1/teams?', '/v1/teams?a=%20']) {
    t.is((await asked(url, 'GET', path)).status, 200, path);
    t.is((await asked(url, 'PUT', path)).headers.allow, 'GET, HEAD, OPTIONS', path);
  }
});

test('an ambiguous path is refused for every method', async (t) => {
  const url = await served(t);
  for (const path of [
    '/v1/./teams',
    '/v1/x/../teams',
    '/v1/%2e/teams',
    '/v1/%2e%2e/metrics',
    '/v1/%2E./metrics',
    '/v1/.%2e/metrics',
    '/v1/../metrics',
    '/v1/..',
    '/v1/teams/..',
    '/v1\\..\\metrics',
    '/v1/teams\\x',
    '/\\elsewhere/v1/teams',
    '//elsewhere/v1/teams',
    '//v1/teams',
    '/v1//teams',
    '/v1/renders//transitions',
    '/v1/teams//',
    '/v1/teams#x',
    '/v1/teams/x#?y',
    '/v1/teams/"x"',
    '/v1/teams/<x>',
    'http://elsewhere/v1/../metrics',
    'http://elsewhere//v1/teams',
  ]) {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'TRACE']) {
      const { status, text } = await asked(url, method, path);
      t.is(status, 400, `${method} ${path}`);
      if (method !== 'HEAD') t.regex(JSON.parse(text).error, /^the (path is not normal|address has a fragment)/, path);
    }
  }
});

test('an id may be percent-encoded', async (t) => {
  const url = await served(t);
  for (const id of [
    'a%20b',
    'a%2Fb',
    'a%2e',
    '%2e%2e%2e',
    '..%2F..%2Fmetrics',
    '%5c',
    '%00',
    '%C3%A9',
    'a.b',
    '...',
    '~',
  ])
    t.is((await asked(url, 'GET', `/v1/teams/${id}`)).text, '{"error":"no such team","code":"not_found"}', id);
});

test('an id that is too long is "not found"', async (t) => {
  const url = await served(t);
  const { status, text } = await asked(url, 'GET', `/v1/teams/${'x'.repeat(15_000)}`);
  t.is(status, 404);
  t.deepEqual(JSON.parse(text), { error: 'no such team', code: 'not_found' });
});

test('a route of another component is refused, and the answer names that component', async (t) => {
  const url = await served(t);
  for (const [method, path] of [
    ['GET', '/v1/users'],
    ['POST', '/v1/renders'],
    ['HEAD', '/v1/projects/x'],
  ] as const) {
    const { status, text } = await asked(url, method, path);
    t.is(status, 404, path);
    if (method !== 'HEAD') t.regex(JSON.parse(text).error, /another component: send it to the gateway/);
  }
});

const ORIGIN = 'https://app.example.com';
const PREFLIGHT = {
  Origin: ORIGIN,
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization',
};

test('without configuration no page of another origin can use the service', async (t) => {
  const url = await served(t);
  for (const method of ['OPTIONS', 'GET']) {
    const { headers } = await asked(url, method, '/v1/teams', PREFLIGHT);
    t.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control')),
      [],
    );
  }
});

test('pages of configured origins can call the service and read its headers', async (t) => {
  const url = await served(t, [ORIGIN, 'https://other.example.com']);
  const preflight = await asked(url, 'OPTIONS', '/v1/renders', PREFLIGHT);
  t.is(preflight.status, 204);
  t.like(preflight.headers, {
    'access-control-allow-origin': ORIGIN,
    'access-control-allow-methods': 'GET,HEAD,POST',
    'access-control-allow-headers': 'Authorization,Content-Type,Idempotency-Key,If-Match,traceparent',
    'access-control-max-age': '600',
    'access-control-allow-credentials': undefined,
    vary: 'Origin',
  });
  for (const path of ['/v1/teams', '/v1/teams/x', '/v1/nothing']) {
    const { headers } = await asked(url, 'GET', path, { Origin: ORIGIN });
    t.is(headers['access-control-allow-origin'], ORIGIN, path);
    const exposed = String(headers['access-control-expose-headers']).split(',');
    for (const name of [
      'Location',
      'Link',
      'Ignored-Values',
      'Ignored-Members',
      'Ignored-Parameters',
      'Retry-After',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'X-Request-Id',
    ])
      t.true(exposed.includes(name), name);
  }
  for (const origin of [
    'https://evil.example.com',
    'https://app.example.com.evil.com',
    'null',
    'http://app.example.com',
  ]) {
    const { headers, status } = await asked(url, 'GET', '/v1/teams', { Origin: origin });
    t.is(status, 200, 'the browser withholds the answer from the page');
    t.is(headers['access-control-allow-origin'], undefined, origin);
    t.is(headers.vary, 'Origin', 'a cache must not serve it to an allowed page');
  }
});

test('pages of every origin can call the service if it is configured so', async (t) => {
  const url = await served(t, ['*']);
  t.is((await asked(url, 'OPTIONS', '/v1/renders', PREFLIGHT)).headers['access-control-allow-origin'], '*');
  t.is(
    (await asked(url, 'GET', '/v1/teams', { Origin: 'https://a.example' })).headers['access-control-allow-origin'],
    '*',
  );
});

test('caches learn that immutable answers still differ by origin', async (t) => {
  const url = await served(t, ['https://a.example.com', 'https://b.example.com']);
  const { headers } = await asked(url, 'GET', '/v1/openapi.json', { Origin: 'https://a.example.com' });
  t.is(headers['access-control-allow-origin'], 'https://a.example.com');
  t.is(headers.vary, 'Origin, Accept-Encoding');
  const known = { Origin: 'https://a.example.com', 'If-None-Match': '*' };
  t.is((await asked(url, 'GET', '/v1/openapi.json', known)).headers.vary, 'Origin, Accept-Encoding');
});
