import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { PublicFileCache } from '../../../gateway/public-files.ts';
import { openUpstream } from '../../../gateway/upstream.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { gatewayIn } from './_gateway.ts';
import { line, rawClient, upstream } from './_upstream.ts';

const TEXT = JSON.stringify({ text: 'x'.repeat(10_000) });
const FILE = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300', ETag: 'W/"1"' };

const anApi = async (t: ExecutionContext) => {
  const asked: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  let file = { ...FILE };
  let is_away = false;
  const { env } = await upstream(t, (request: IncomingMessage, response: ServerResponse) => {
    asked.push({ url: request.url, headers: request.headers });
    if (is_away) return void response.destroy();
    const [status, body] =
      request.url !== '/v1/openapi.json'
        ? [404, '{}']
        : request.headers['if-none-match'] === file.ETag
          ? [304, '']
          : [200, TEXT];
    response.writeHead(status, { ...file, 'X-Request-Id': 'theirs' });
    response.end(body);
  });
  return {
    ...{ env, asked, url: env.QUERY_API_URL },
    change: (more: Readonly<Record<string, string>>) => {
      file = { ...file, ...more };
    },
    leave: () => {
      is_away = true;
    },
  };
};

test('a public file is fetched once, then served from memory in each encoding', async (t) => {
  const api = await anApi(t);
  const { url } = await gatewayIn(t, { env: api.env, origins: ['https://app.example.com'] });
  const path = `${url}/v1/openapi.json`;
  const headers = {
    Origin: 'https://app.example.com',
    Authorization: 'Bearer a',
    Cookie: 'a=b',
    'If-None-Match': '"0"',
  };
  const many = await Promise.all(Array.from({ length: 30 }, () => fetch(`${path}?n=1`, { headers })));
  for (const answer of many) t.is(await answer.text(), TEXT);
  t.is(many[0]?.headers.get('access-control-allow-origin'), 'https://app.example.com');
  const plain = await rawClient(t, url, line('GET', '/v1/openapi.json', 'Connection: close'));
  await plain.over;
  t.regex(plain.text(), /^HTTP\/1\.1 200 [\s\S]*\r\nContent-Length: 10011\r\n/);
  t.notRegex(plain.text(), /content-encoding|theirs/i);
  const compressed = await rawClient(
    t,
    url,
    line('GET', '/v1/openapi.json', 'Accept-Encoding: gzip', 'Connection: close'),
  );
  await compressed.over;
  t.regex(compressed.text(), /\r\nContent-Encoding: gzip\r\n/);
  const [head = '', body = ''] = compressed.text().split('\r\n\r\n');
  t.is(gunzipSync(Buffer.from(body, 'latin1')).toString(), TEXT);
  t.regex(head, /\r\nVary: .*Accept-Encoding/);
  const had = await fetch(path, { headers: { 'If-None-Match': 'W/"1"' } });
  t.deepEqual([had.status, had.headers.get('etag')], [304, 'W/"1"']);
  const of_head = await fetch(path, { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } });
  t.deepEqual([of_head.status, of_head.headers.get('content-length')], [200, '10011']);
  t.is(api.asked.length, 1);
  const { authorization, cookie, origin, 'if-none-match': condition } = api.asked[0]?.headers ?? {};
  t.deepEqual([authorization, cookie, origin, condition], [undefined, undefined, undefined, undefined]);
});

test('Accept-Encoding and If-None-Match follow HTTP', async (t) => {
  const api = await anApi(t);
  const { url } = await gatewayIn(t, { env: api.env });
  const answered = async (...lines: readonly string[]): Promise<string> => {
    const client = await rawClient(t, url, line('GET', '/v1/openapi.json', 'Connection: close', ...lines));
    await client.over;
    return client.text();
  };
  for (const accepted of ['gzip', 'GZIP', 'x-gzip', 'br, gzip;q=0.1', 'identity;q=0, Gzip;Q=1'])
    t.regex(await answered(`Accept-Encoding: ${accepted}`), /\r\nContent-Encoding: gzip\r\n/, accepted);
  for (const accepted of ['', 'br', 'gzip;q=0', 'gzip;Q=0', 'gzip ; q=0.000, br', '*;q=0'])
    t.notRegex(await answered(`Accept-Encoding: ${accepted}`), /content-encoding/i, accepted);
  for (const etag of ['W/"1"', '"1"', '*', '"0",W/"1"']) {
    const text = await answered(`If-None-Match: ${etag}`, 'Accept-Encoding: gzip');
    t.regex(text, /^HTTP\/1\.1 304 [\s\S]*\r\nVary: Accept-Encoding\r\n/, etag);
  }
  t.regex(await answered('If-None-Match: "W/1", 1'), /^HTTP\/1\.1 200 /);
});

test('files that are not public are forwarded each time', async (t) => {
  const api = await anApi(t);
  api.change({ 'Cache-Control': 'no-store' });
  const { url } = await gatewayIn(t, { env: api.env });
  for (let i = 1; i <= 3; i += 1) {
    t.is(await (await fetch(`${url}/v1/openapi.json`)).text(), TEXT);
    t.is((await fetch(`${url}/v1/docs/nothing.js`)).status, 404);
    // The first request also asks whether the file can be cached.
    t.is(api.asked.length, 2 + 2 * i);
  }
});

test('a cached file is revalidated, and a new version replaces it', async (t) => {
  const api = await anApi(t);
  const open = openUpstream(api.url);
  t.teardown(open.close);
  let now_ms = 0;
  const files = new PublicFileCache(open, () => now_ms);
  const path = '/v1/openapi.json';
  const first = await files.load(path);
  t.is(first?.bytes.toString(), TEXT);
  now_ms = 9_000;
  t.is(files.kept(path), first);
  t.is(api.asked.length, 1);
  now_ms = 11_000;
  t.is(files.kept(path), first, 'no client waits');
  await files.load(path);
  t.is(api.asked.length, 2);
  t.is(api.asked[1]?.headers['if-none-match'], 'W/"1"');
  t.is(files.kept(path), first, 'the file is the same');
  api.change({ ETag: 'W/"2"' });
  now_ms = 100_000;
  t.is(files.kept(path), null, 'a long unused entry');
  t.is((await files.load(path))?.headers.ETag, 'W/"2"');
  api.leave();
  now_ms = 111_000;
  t.is(files.kept(path)?.headers.ETag, 'W/"2"');
  await files.load(path);
  await pollUntil('an unavailable API is reported', async () => files.kept(path) === null);
});

test('a percent-encoded path of a public file is not cached', async (t) => {
  const api = await anApi(t);
  const open = openUpstream(api.url);
  t.teardown(open.close);
  const files = new PublicFileCache(open);
  t.is(await files.load('/v1/%6fpenapi.json'), null);
  t.is(api.asked.length, 0);
});
