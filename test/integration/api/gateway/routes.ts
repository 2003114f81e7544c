import { OPENAPI } from '../../../../schemas/http/public/document.ts';
import { needsKey, ROUTES } from '../../../../schemas/http/routes.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { bearer, errorOf, send, untilServed } from '../_client.ts';
import { sendRaw } from '../_raw.ts';
import { PLAIN } from '../_world.ts';
import { ORIGIN, test } from './_behind-the-gateway.ts';

test('the gateway serves the OpenAPI document and its page without a key', async (t) => {
  const gateway = t.context.stack.component('gateway').url;
  const document = await send(`${gateway}/v1/openapi.json`);
  t.is(document.status, 200);
  t.deepEqual(document.body, JSON.parse(JSON.stringify(OPENAPI)));
  const again = await send(`${gateway}/v1/openapi.json`, {
    headers: { 'If-None-Match': document.headers.get('etag') ?? '' },
  });
  t.is(again.status, 304);
  const page = await send(`${gateway}/v1/docs`);
  t.is(page.status, 200);
  t.regex(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  for (const [, path] of page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g))
    t.is((await send(`${gateway}/v1/${path}`)).status, 200, path);
  t.is((await send(`${gateway}/v1/docs/main.ts`)).status, 404);
});

test('the root and the folder of the page redirect to the page', async (t) => {
  const gateway = t.context.stack.component('gateway').url;
  for (const path of ['/', '/v1/docs/']) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(`${gateway}${path}`, { method, redirect: 'manual' });
      t.is(answer.status, 302, `${method} ${path}`);
      const { pathname } = new URL(answer.headers.get('location') ?? '', answer.url);
      t.is(pathname, '/v1/docs', `${method} ${path}`);
    }
    t.regex((await send(`${gateway}${path}`)).text, /<title>Video rendering service/);
  }
});

test('the gateway serves every route and requires a key where the route needs one', async (t) => {
  const gateway = t.context.stack.component('gateway').url;
  for (const [path, methods] of Object.entries(ROUTES)) {
    const url = `${gateway}${path.replace('{file}', 'page.css').replace(/\{\w+\}/g, 'x')}`;
    for (const method of Object.keys(methods)) {
      const answer = await send(url, { method });
      t.is(answer.status, needsKey(path) ? 401 : 200, `${method} ${path}`);
      if (needsKey(path)) t.is(answer.headers.get('www-authenticate'), 'Bearer');
    }
    const head = await send(url, { method: 'HEAD' });
    t.is(head.status, (await send(url)).status, path);
    t.is((await send(url, { method: 'OPTIONS' })).status, 204, path);
    t.regex(errorOf(await send(url, { method: 'PUT', headers: bearer(t.context.keys.ours) })) ?? '', /not allowed/);
  }
});

test('a page of a configured origin can post through the gateway and read answers', async (t) => {
  const { stack, keys } = t.context;
  const url = `${stack.component('gateway').url}/v1/renders`;
  const preflight = await send(url, {
    method: 'OPTIONS',
    headers: {
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    },
  });
  t.is(preflight.headers.get('access-control-allow-origin'), ORIGIN);
  t.regex(preflight.headers.get('access-control-allow-methods') ?? '', /POST/);
  const headers = { ...bearer(keys.ours), Origin: ORIGIN, 'Content-Type': 'application/json' };
  const created = await untilServed(() => send(url, { method: 'POST', headers, body: JSON.stringify(PLAIN) }));
  const read = await send(`${url}?project_id=proj_1`, { headers });
  t.deepEqual([created.status, read.status], [201, 200]);
  for (const answer of [created, read]) {
    t.is(answer.headers.get('access-control-allow-origin'), ORIGIN);
    t.regex(answer.headers.get('access-control-expose-headers') ?? '', /Location,Link,Ignored-Values,/);
  }
});

/** Paths of internal routes, also in variants that clients, proxies or routers may normalise to these routes. */
const MEANT_PATHS = [
  '/metrics',
  '/health/live',
  '/health/ready',
  '/metrics/',
  '//metrics',
  '/./metrics',
  '/v1/../metrics',
  '/v1/../health/ready',
  '/v1/%2e%2e/metrics',
  '/v1/%2e%2e%2fmetrics',
  '/v1/..%2fmetrics',
  '/v1/..\\metrics',
  '\\metrics',
  '/v1/renders/../../metrics',
  '/v1/..;/metrics',
  '/METRICS',
  '/%6detrics',
  '/metrics?x',
  'http://127.0.0.1/metrics',
];

test('health and metrics are served only on their own port', async (t) => {
  for (const name of ['gateway', 'command-api', 'query-api']) {
    const { url, health_url } = t.context.stack.component(name);
    for (const path of MEANT_PATHS) {
      const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
      const [answer] = await sendRaw(url ?? '', request);
      t.true([400, 404].includes(answer?.status ?? 0), `${name} ${path}: ${answer?.status}`);
      t.regex(answer?.text ?? '', /^\{"error":"/, `${name} ${path}`);
    }
    for (const path of ['/metrics', '/health/live', '/health/ready']) {
      t.is((await send(`${url}${path}`)).status, 404, `${name} ${path}`);
      await pollUntil(`${name} ${path} answers`, async () => (await fetch(`${health_url}${path}`)).status === 200);
    }
  }
});
