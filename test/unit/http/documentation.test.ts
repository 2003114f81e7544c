import { once } from 'node:events';
import anyTest, { type TestFn } from 'ava';
import { createServer, drainServer } from '../../../platform/http-server/server.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';
import { addDocumentationRoutes } from '../../../query-api/documentation/routes.ts';
import { OPENAPI } from '../../../schemas/http/public/document.ts';

const test = anyTest as TestFn<{ readonly url: string; readonly stop: () => Promise<void> }>;

test.before(async (t) => {
  const logger = createLogger('test', 'silent');
  const server = createServer({ name: 'test', logger, metrics: createMetrics('test'), readiness: createReadiness() });
  addDocumentationRoutes(server);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  t.context = { url: server.url, stop: () => drainServer(server) };
});

test.after.always(async (t) => {
  await t.context.stop?.();
});

test('the OpenAPI document needs no key and is cacheable', async (t) => {
  const url = `${t.context.url}/v1/openapi.json`;
  const answer = await fetch(url);
  t.is(answer.status, 200);
  t.is(answer.headers.get('content-type'), 'application/json');
  t.regex(answer.headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
  t.is(answer.headers.get('vary'), 'Accept-Encoding');
  t.deepEqual(await answer.json(), JSON.parse(JSON.stringify(OPENAPI)));

  const etag = answer.headers.get('etag') ?? '';
  for (const known of [etag, `"other", ${etag}`, '*']) {
    const again = await fetch(url, { headers: { 'If-None-Match': known } });
    t.is(again.status, 304, known);
    t.is(again.headers.get('etag'), etag);
    t.is(await again.text(), '');
  }
  t.is((await fetch(url, { headers: { 'If-None-Match': '"other"' } })).status, 200);
});

test('the OpenAPI document is compressed for clients that accept it', async (t) => {
  const url = `${t.context.url}/v1/openapi.json`;
  const encodingFor = async (accepted: string) => {
    const answer = await fetch(url, { headers: { 'Accept-Encoding': accepted } });
    t.deepEqual(await answer.json(), JSON.parse(JSON.stringify(OPENAPI)), accepted);
    return answer.headers.get('content-encoding');
  };
  t.is(await encodingFor('gzip, deflate, br'), 'gzip');
  t.is(await encodingFor('br;q=1, gzip;q=0.5'), 'gzip');
  t.is(await encodingFor('identity'), null);
  t.is(await encodingFor('gzip;q=0'), null);
  const head = await fetch(url, { method: 'HEAD', headers: { 'Accept-Encoding': 'gzip' } });
  t.true(Number(head.headers.get('content-length')) < JSON.stringify(OPENAPI).length / 3);
});

test('the page loads only files of the service, by relative addresses', async (t) => {
  const url = `${t.context.url}/v1/docs`;
  const page = await fetch(url);
  t.is(page.headers.get('content-type'), 'text/html; charset=utf-8');
  const policy = page.headers.get('content-security-policy') ?? '';
  t.regex(policy, /default-src 'none'/);
  t.notRegex(policy, /unsafe|https?:|\*/);
  const html = await page.text();
  t.notRegex(html, /<script>|<style>| on\w+=| style=/, 'which the policy forbids');

  const loaded = Array.from(html.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g), ([, path]) => path ?? '');
  t.true(loaded.length >= 5);
  for (const path of loaded) {
    t.notRegex(path, /^[/.]|:/, 'also behind a gateway with another base path');
    const file = await fetch(new URL(path, url));
    t.is(file.status, 200, path);
    t.is(file.headers.get('x-content-type-options'), 'nosniff', path);
    const text = await file.text();
    t.true(text.length > 0, path);
    if (path !== 'docs/page.js') continue;
    const imported = Array.from(text.matchAll(/^import .* from '\.\/([\w.-]+)';$/gm), ([, name]) => name ?? '');
    t.true(imported.length > 0, 'the parts of the page');
    for (const name of imported) t.is((await fetch(new URL(`docs/${name}`, url))).status, 200, name);
  }
});

test('the root and the folder redirect to the page by relative addresses', async (t) => {
  for (const [path, page] of [
    ['/', '/v1/docs'],
    ['/v1/docs/', '/v1/docs'],
  ] as const) {
    const answer = await fetch(`${t.context.url}${path}`, { redirect: 'manual' });
    t.is(answer.status, 302, path);
    const location = answer.headers.get('location') ?? '';
    t.is(new URL(location, answer.url).pathname, page, path);
    t.is(new URL(location, `https://example.com/video${path}`).pathname, `/video${page}`, path);
  }
});

test('no other file is served', async (t) => {
  for (const name of [
    'package.json',
    '..%2F..%2Fpackage.json',
    '%2Fetc%2Fpasswd',
    'page.html',
    'constructor',
    '__proto__',
  ]) {
    const answer = await fetch(`${t.context.url}/v1/docs/${name}`);
    t.is(answer.status, 404, name);
    t.deepEqual(await answer.json(), { error: 'there is no such file', code: 'unknown_path' });
  }
});
