import { gzipSync } from 'node:zlib';
import test from 'ava';
import type { UpstreamFault } from '../../../gateway/upstream.ts';
import { upstreamFaultReply } from '../../../gateway/upstream-fault-reply.ts';
import { gatewayIn } from './_gateway.ts';
import { line, rawClient, upstream } from './_upstream.ts';

test('after a broken kept connection, reads are retried and writes have unknown outcome', async (t) => {
  const asked: string[] = [];
  let breaks = 0;
  const { env } = await upstream(t, (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (breaks > 0) {
      breaks -= 1;
      request.socket.destroy();
    } else response.end('{}');
  });
  const { url } = await gatewayIn(t, { env });
  const ask = async (method: string, path: string) => {
    const answer = await fetch(`${url}${path}`, { method, ...(method === 'POST' ? { body: '{}' } : {}) });
    return { status: answer.status, text: await answer.text() };
  };
  t.is((await ask('GET', '/v1/teams')).status, 200);
  breaks = 1;
  t.is((await ask('GET', '/v1/teams/again')).status, 200);
  breaks = 2;
  t.like(await ask('GET', '/v1/teams/twice'), { status: 502 });
  t.is((await ask('POST', '/v1/renders')).status, 200);
  breaks = 1;
  const unknown = await ask('POST', '/v1/renders');
  t.is(unknown.status, 502);
  t.regex(unknown.text, /outcome is unknown/);
  t.deepEqual(asked, [
    'GET /v1/teams',
    'GET /v1/teams/again',
    'GET /v1/teams/again',
    'GET /v1/teams/twice',
    'GET /v1/teams/twice',
    'POST /v1/renders',
    'POST /v1/renders',
  ]);
});

test('an answer to a sent request never claims that nothing changed', (t) => {
  // An open connection ends with this error when a router on its path gives up.
  const lost: UpstreamFault = { tag: 'failed', code: 'EHOSTUNREACH', sent: true, answering: false };
  const errorOf = (path: string): string => Object(upstreamFaultReply('POST', path, lost).body).error;
  t.like(upstreamFaultReply('POST', '/v1/renders', lost), { status: 502 });
  t.like(upstreamFaultReply('POST', '/v1/renders', { ...lost, sent: false }), { status: 503 });
  t.regex(errorOf('/v1/renders'), /Retry with the same Idempotency-Key/);
  t.notRegex(errorOf('/v1/renders/{id}/cancel'), /Idempotency-Key/, 'a second cancellation is like one');
});

test('an early answer is forwarded and does not affect others', async (t) => {
  let asked = 0;
  const { env } = await upstream(t, (request, response) => {
    asked += 1;
    if (request.method === 'POST') {
      response.statusCode = 401;
      response.end('{"error":"early"}');
    } else response.end(JSON.stringify({ url: request.url }));
  });
  const { url } = await gatewayIn(t, { env });
  for (let i = 0; i < 20; i += 1) {
    const body = `GET /v1/teams/smuggled HTTP/1.1\r\nHost: a\r\n\r\n${'x'.repeat(200_000)}`;
    const [refused, read] = await Promise.all([
      fetch(`${url}/v1/renders`, { method: 'POST', body }),
      fetch(`${url}/v1/teams/${i}`),
    ]);
    t.is(refused.status, 401);
    t.is(await refused.text(), '{"error":"early"}');
    t.deepEqual(await read.json(), { url: `/v1/teams/${i}` });
  }
  t.is(asked, 40);
});

test('an answer that is too large becomes a 502', async (t) => {
  const { env } = await upstream(t, (_request, response) => response.end(Buffer.alloc(9 * 1024 * 1024)));
  const { url } = await gatewayIn(t, { env });
  t.is((await fetch(`${url}/v1/teams`)).status, 502);
  const written = await fetch(`${url}/v1/renders`, { method: 'POST', body: '{}' });
  t.regex(await written.text(), /outcome is unknown/);
});

test('answers without a body and compressed ones arrive unchanged', async (t) => {
  const zipped = gzipSync('{"a":1}');
  const { env } = await upstream(t, ({ url }, response) => {
    response.setHeader('ETag', '"1"');
    response.statusCode = Number(/\d+$/.exec(url ?? '')?.[0] ?? 200);
    if (response.statusCode !== 200) return void response.end();
    response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Vary', ['Accept-Encoding', 'Origin']);
    response.setHeader('Set-Cookie', 'a=b');
    response.setHeader('Server', 'secret');
    response.setHeader('Upgrade', 'h2c');
    response.setHeader('Keep-Alive', 'timeout=1');
    response.end(zipped);
  });
  const { url } = await gatewayIn(t, { env });
  const answers = await rawClient(
    t,
    url,
    line('GET', '/v1/teams/304') +
      line('GET', '/v1/teams/204') +
      line('HEAD', '/v1/teams') +
      line('GET', '/v1/teams/200', 'Connection: close'),
  );
  await answers.over;
  const [unchanged = '', nothing = '', head = '', body = ''] = answers.text().split(/(?=HTTP\/1\.1 )/);
  t.regex(unchanged, /^HTTP\/1\.1 304 [\s\S]*etag: "1"[\s\S]*\r\n\r\n$/);
  t.regex(nothing, /^HTTP\/1\.1 204 [\s\S]*\r\n\r\n$/);
  t.notRegex(nothing, /content-length/i);
  t.regex(head, /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/);
  t.is(body.split('\r\n\r\n').slice(1).join('\r\n\r\n'), zipped.toString('latin1'));
  t.regex(body, /vary: Accept-Encoding, Origin\r\n/);
  t.notRegex(body, /cookie|secret|h2c|timeout=1\r/i, 'unlisted headers are dropped');
});
