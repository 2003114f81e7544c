import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import test from 'ava';
import { generate } from 'selfsigned';
import type { PostResult } from '../../../platform/outbound/post-result.ts';
import {
  type HttpsReceiver,
  type ReceiverAnswer,
  type ReceiverOptions,
  startHttpsReceiver,
} from '../../../stack/testing/https-receiver.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { type Certificate, createAuthority, issueCertificate } from '../../../stack/tls/certificate.ts';
import { authority, type Closing, certificateFor, outboundFor, requestTo, startListener } from './_outbound-world.ts';

const LOOPBACK = { allowed: ['loopback'] } as const;
const certificate = await certificateFor('localhost', '127.0.0.1', '::1');

const receiverFor = async (t: Closing, options: Partial<ReceiverOptions> = {}): Promise<HttpsReceiver> => {
  const receiver = await startHttpsReceiver({ certificate, ...options });
  t.teardown(receiver.close);
  return receiver;
};

const startTls = async (
  t: Closing,
  options: TlsOptions,
  speak: (socket: TLSSocket, nth: number) => void,
): Promise<{ readonly origin: string; readonly connections: () => number }> => {
  const sockets: Socket[] = [];
  let connections = 0;
  const server = createTlsServer({ ...certificate, ...options }, (socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    speak(socket, connections);
  });
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { origin: `https://localhost:${port}`, connections: () => connections };
};

const saying =
  (text: string, then: (socket: TLSSocket) => void = () => undefined) =>
  (socket: TLSSocket): void => {
    socket.once('data', () => socket.write(text, () => then(socket)));
  };

const silently = (socket: Socket): void => {
  socket.resume();
};

const selfSigned = async (): Promise<Certificate> => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
  return { cert, key };
};

const textOf = (result: PostResult): string => (result.tag === 'answered' ? result.response.toString() : result.code);

test.serial('a request arrives unchanged, and its answer is returned', async (t) => {
  const receiver = await receiverFor(t);
  const body = Buffer.from('{"name":"é","n":1}');
  receiver.answer('/hooks?team=a%20b', { tag: 'answer', status: 201, body: 'thanks' });
  const result = await outboundFor(t, LOOPBACK).post(
    requestTo(`${receiver.origin}/hooks?team=a%20b`, { headers: { 'X-Webhook-ID': 'hook_1' }, body }),
  );
  t.like(result, { tag: 'answered', status: 201, retry_after: null });
  t.is(textOf(result), 'thanks');
  t.true(Number.isInteger(result.duration_ms) && result.duration_ms >= 0);
  const [received] = receiver.received();
  t.like(received, { method: 'POST', path: '/hooks?team=a%20b', body });
  t.is(received?.headers['x-webhook-id'], 'hook_1');
  t.is(received?.headers.host, `localhost:${receiver.port}`);
  t.is(received?.headers['content-length'], String(body.length));
});

test.serial('addresses in the URL are contacted too, with a certificate for them', async (t) => {
  const receiver = await receiverFor(t);
  const url = `https://127.0.0.1:${receiver.port}/`;
  t.like(await outboundFor(t, LOOPBACK).post(requestTo(url)), { tag: 'answered', status: 200 });
});

test.serial('a response of any status is returned, with its Retry-After', async (t) => {
  const receiver = await receiverFor(t);
  const outbound = outboundFor(t, LOOPBACK);
  for (const status of [204, 299, 302, 400, 404, 410, 429, 500, 503, 599]) {
    const retry_after = status === 429 ? '7' : 'Wed, 21 Oct 2026 07:28:00 GMT';
    const headers: Record<string, string> = status === 429 || status === 503 ? { 'Retry-After': retry_after } : {};
    receiver.answer(`/${status}`, { tag: 'answer', status, headers });
    t.like(await outbound.post(requestTo(`${receiver.origin}/${status}`)), {
      tag: 'answered',
      status,
      retry_after: headers['Retry-After'] ?? null,
    });
  }
});

test.serial('connections are reused, sequentially and concurrently', async (t) => {
  const receiver = await receiverFor(t);
  const outbound = outboundFor(t, LOOPBACK);
  const post = (n: number) => outbound.post(requestTo(`${receiver.origin}/${n}`));
  for (let n = 0; n < 20; n += 1) {
    t.like(await post(n), { tag: 'answered' });
  }
  t.is(receiver.connections(), 1);
  for (let round = 0; round < 5; round += 1) {
    const results = await Promise.all(Array.from({ length: 8 }, (_, n) => post(n)));
    t.true(results.every(({ tag }) => tag === 'answered'));
  }
  t.is(receiver.connections(), 8);
});

test.serial('a longer answer is cut at its limit and still counts', async (t) => {
  const receiver = await receiverFor(t);
  const outbound = outboundFor(t, LOOPBACK);
  const size = async (path: string) => {
    const result = await outbound.post(requestTo(`${receiver.origin}${path}`));
    return result.tag === 'answered' ? [result.status, result.response.length] : result.code;
  };
  receiver.answer('/fits', { tag: 'answer', body: 'x'.repeat(20_000) });
  t.deepEqual(await size('/fits'), [200, 20_000]);
  receiver.answer('/long', { tag: 'answer', status: 202, body: 'x'.repeat(20_001) });
  t.deepEqual(await size('/long'), [202, 20_000]);
  t.is(receiver.connections(), 1);
  receiver.answer('/huge', { tag: 'big', status: 500, size_bytes: 100_000_000 });
  const began = Date.now();
  t.deepEqual(await size('/huge'), [500, 20_000]);
  t.true(Date.now() - began < 8_000);
  await pollUntil('the connection is cut', async () => receiver.under_way() === 0);
});

// Runs alone before the others, because it measures time.
test.serial('a request times out if the endpoint is silent or sends too slowly', async (t) => {
  const receiver = await receiverFor(t);
  const outbound = outboundFor(t, LOOPBACK);
  const late = async (path: string, answer: ReceiverAnswer, status: number | null, message: string) => {
    receiver.answer(path, answer);
    const result = await outbound.post(requestTo(`${receiver.origin}${path}`, { timeout_ms: 1_500 }));
    t.like(result, { tag: 'failed', code: 'timeout', status, message }, path);
    t.true(result.duration_ms >= 1_495 && result.duration_ms < 8_000, `${path}: ${result.duration_ms} ms`);
  };
  await Promise.all([
    late('/hangs', { tag: 'hang' }, null, 'The host did not answer in time.'),
    late('/drips', { tag: 'drip', status: 200, every_ms: 20 }, 200, 'The answer was not complete in time.'),
    late('/gone', { tag: 'drip', status: 410, every_ms: 20 }, 410, 'The answer was not complete in time.'),
  ]);
  await pollUntil('the connections are cut', async () => receiver.under_way() === 0);
});

test.serial('a request times out if the server is silent, also during its TLS handshake', async (t) => {
  const silent = await startListener(t, '127.0.0.1', silently);
  const result = await outboundFor(t, LOOPBACK).post(
    requestTo(`https://localhost:${silent.port}/`, { timeout_ms: 300 }),
  );
  t.like(result, { tag: 'failed', code: 'timeout', message: 'The connection timed out.' });
  t.true(result.duration_ms < 8_000);
});

test.serial('a connection attempt has its own time limit', async (t) => {
  const silent = await startListener(t, '127.0.0.1', silently);
  const outbound = outboundFor(t, LOOPBACK, { connect_within_ms: 200 });
  const result = await outbound.post(requestTo(`https://localhost:${silent.port}/`));
  t.like(result, { tag: 'failed', code: 'timeout' });
  await pollUntil('the connection is closed', async () => silent.sockets().every((socket) => socket.closed));
});

test.serial('a request that is aborted before its connection is never sent', async (t) => {
  const receiver = await receiverFor(t);
  let open = (): void => undefined;
  const gate = await startListener(t, '127.0.0.1', (socket) => {
    open = () => {
      const on = connect(receiver.port, '127.0.0.1');
      on.on('error', () => undefined);
      t.teardown(() => on.destroy());
      socket.pipe(on).pipe(socket);
    };
  });
  const outbound = outboundFor(t, LOOPBACK);
  const stop = new AbortController();
  const post = outbound.post(requestTo(`https://localhost:${gate.port}/late`, { signal: stop.signal }));
  await pollUntil('the connection waits at the gate', async () => gate.connections() === 1);
  stop.abort();
  t.like(await post, { tag: 'failed', code: 'stopped' });
  open();
  await pollUntil('the connection passed the gate', async () => receiver.connections() === 1);
  await pollUntil('the unused connection is closed', async () => gate.sockets().every(({ closed }) => closed));
  t.deepEqual(receiver.received(), []);
});

test.serial('an aborted request rejects at once and leaves no activity', async (t) => {
  const receiver = await receiverFor(t, { answer: { tag: 'hang' } });
  const outbound = outboundFor(t, LOOPBACK);
  const stop = new AbortController();
  const posts = [1, 2, 3].map((n) => outbound.post(requestTo(`${receiver.origin}/${n}`, { signal: stop.signal })));
  await pollUntil('all requests are running', async () => receiver.under_way() === 3);
  stop.abort();
  for (const result of await Promise.all(posts)) t.like(result, { tag: 'failed', code: 'stopped' });
  await pollUntil('all connections are cut', async () => receiver.under_way() === 0);
  t.like(await outbound.post(requestTo(receiver.origin, { signal: stop.signal })), { code: 'stopped' });
  t.is(receiver.received().length, 3);
});

test.serial('closing ends open requests and connection attempts', async (t) => {
  const receiver = await receiverFor(t, { answer: { tag: 'hang' } });
  const silent = await startListener(t, '127.0.0.1', silently);
  const outbound = outboundFor(t, LOOPBACK, { connect_within_ms: 120_000 });
  const posts = [receiver.origin, `https://localhost:${silent.port}`].map((url) => outbound.post(requestTo(url)));
  await pollUntil('both requests are running', async () => receiver.under_way() === 1 && silent.connections() === 1);
  await outbound.close();
  for (const result of await Promise.all(posts)) t.like(result, { tag: 'failed', code: 'stopped' });
  await pollUntil(
    'no connection is open',
    async () => receiver.under_way() === 0 && silent.sockets().every(({ closed }) => closed),
  );
  t.like(await outbound.post(requestTo(receiver.origin)), { tag: 'failed', code: 'stopped' });
});

test.serial('without a listener the result is a refused connection', async (t) => {
  const receiver = await receiverFor(t);
  await receiver.down();
  const outbound = outboundFor(t, LOOPBACK);
  t.like(await outbound.post(requestTo(receiver.origin)), { code: 'connection_refused' });
  await receiver.up();
  t.like(await outbound.post(requestTo(receiver.origin)), { tag: 'answered' });
});

test.serial('a cut connection is reported: before an answer, in its head, in its body', async (t) => {
  const receiver = await receiverFor(t, { answer: { tag: 'reset' } });
  const outbound = outboundFor(t, LOOPBACK);
  t.like(await outbound.post(requestTo(receiver.origin)), { code: 'connection_reset' });
  const end = (socket: TLSSocket) => socket.end();
  for (const text of [
    '',
    'HTTP/1.1 200 OK\r\nContent-Le',
    'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n',
  ]) {
    const server = await startTls(t, {}, saying(text, end));
    t.like(await outbound.post(requestTo(server.origin)), { tag: 'failed', code: 'connection_reset' }, text);
    t.is(server.connections(), 1, 'no request is repeated');
  }
});

test.serial('an answer that is not HTTP is reported as such', async (t) => {
  const outbound = outboundFor(t, LOOPBACK);
  for (const text of [
    'SSH-2.0-OpenSSH_9.2\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`,
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot a size\r\n',
  ]) {
    const server = await startTls(t, {}, saying(text));
    const result = await outbound.post(requestTo(server.origin));
    t.like(result, { tag: 'failed', code: 'protocol' }, text.slice(0, 60));
  }
});

test.serial('informational answers before the final one are skipped', async (t) => {
  const server = await startTls(
    t,
    {},
    saying('HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok'),
  );
  const outbound = outboundFor(t, LOOPBACK);
  const result = await outbound.post(requestTo(server.origin));
  t.like(result, { tag: 'answered', status: 202, retry_after: null });
  t.is(textOf(result), 'ok');
  const no_more = await startTls(
    t,
    {},
    saying('HTTP/1.1 103 Early Hints\r\n\r\n', (socket) => socket.end()),
  );
  t.like(await outbound.post(requestTo(no_more.origin)), { code: 'connection_reset', status: null });
});

test.serial('an answer that ends with its connection is complete', async (t) => {
  const server = await startTls(
    t,
    {},
    saying('HTTP/1.1 200 OK\r\n\r\nall of it', (socket) => socket.end()),
  );
  t.is(textOf(await outboundFor(t, LOOPBACK).post(requestTo(server.origin))), 'all of it');
});

test.serial('unrequested bytes of a server do not answer the next request', async (t) => {
  const answer = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  const server = await startTls(t, {}, (socket, nth) => {
    socket.on('data', () => socket.write(nth === 1 ? `${answer('first')}${answer('smuggled')}` : answer('second')));
  });
  const outbound = outboundFor(t, LOOPBACK);
  t.is(textOf(await outbound.post(requestTo(server.origin))), 'first');
  t.is(textOf(await outbound.post(requestTo(server.origin))), 'second');
});

test.serial('a connection that the server closed is not reused', async (t) => {
  const server = await startTls(
    t,
    {},
    saying('HTTP/1.1 204 No Content\r\n\r\n', (socket) => socket.end()),
  );
  const outbound = outboundFor(t, LOOPBACK);
  for (let n = 1; n <= 5; n += 1) {
    t.like(await outbound.post(requestTo(server.origin)), { tag: 'answered', status: 204 });
  }
});

test.serial(
  'certificates are refused: other name, self-signed, unknown authority, expired, not yet valid',
  async (t) => {
    const outbound = outboundFor(t, LOOPBACK);
    const day_ms = 86_400_000;
    const now = Date.now();
    const cases = [
      [await certificateFor('other.test'), 'The TLS certificate is for another name.'],
      [await selfSigned(), 'The TLS certificate is self-signed.'],
      [await issueCertificate(await createAuthority(), ['localhost']), /unknown authority/],
      [await issueCertificate(authority, ['localhost'], { from: now - 2 * day_ms, to: now - day_ms }), /has expired/],
      [await issueCertificate(authority, ['localhost'], { from: now + day_ms, to: now + 2 * day_ms }), /not valid yet/],
    ] as const;
    for (const [shown, message] of cases)
      for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
        const server = await startTls(t, { ...shown, maxVersion }, (socket) => {
          socket.on('data', () => t.fail('nothing is sent to whom is not trusted'));
        });
        // Twice, because cached results of the first connection must not let the second one pass.
        for (let n = 0; n < 2; n += 1) {
          const result = await outbound.post(requestTo(server.origin));
          t.like(result, { tag: 'failed', code: 'tls' });
          if (result.tag === 'failed')
            typeof message === 'string' ? t.is(result.message, message) : t.regex(result.message, message);
        }
      }
  },
);

test.serial('without the configured authority its certificates are not trusted', async (t) => {
  const receiver = await receiverFor(t);
  const outbound = outboundFor(t, { ...LOOPBACK, trusts_own: false });
  t.like(await outbound.post(requestTo(receiver.origin)), { tag: 'failed', code: 'tls' });
});

test.serial('an environment that disables certificate checks has no effect', async (t) => {
  const server = await startTls(t, await selfSigned(), () => t.fail('not trusted'));
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  t.teardown(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
  t.like(await outboundFor(t, LOOPBACK).post(requestTo(server.origin)), { tag: 'failed', code: 'tls' });
});

test.serial('missing or old TLS, or a demand for a client certificate, fails as TLS', async (t) => {
  const outbound = outboundFor(t, LOOPBACK);
  const plain = createHttpServer((_request, response) => response.end('plain'));
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  t.teardown(() => plain.close());
  const address = plain.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  t.like(await outbound.post(requestTo(`https://localhost:${port}/`)), { tag: 'failed', code: 'tls' });

  const old = await startTls(t, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }, () => t.fail('too old'));
  t.like(await outbound.post(requestTo(old.origin)), { tag: 'failed', code: 'tls' });

  const strict = await startTls(t, { requestCert: true, rejectUnauthorized: true }, () => t.fail('without one'));
  const result = await outbound.post(requestTo(strict.origin));
  t.true(result.tag === 'failed' && ['tls', 'connection_reset'].includes(result.code), textOf(result));
});

test.serial('above the limit of origins, requests succeed and the least used connections close', async (t) => {
  const receivers = await Promise.all(
    [1, 2, 3].map(() => receiverFor(t, { answer: { tag: 'answer', delay_ms: 100, body: 'late' } })),
  );
  const outbound = outboundFor(t, LOOPBACK, { most_origins: 1 });
  for (let round = 0; round < 2; round += 1) {
    const results = await Promise.all(receivers.map(({ origin }) => outbound.post(requestTo(origin))));
    t.deepEqual(results.map(textOf), ['late', 'late', 'late']);
  }
});

test.serial('an origin that hangs does not delay requests to it or to others', async (t) => {
  const receiver = await receiverFor(t);
  receiver.answer('/hangs', { tag: 'hang' });
  const outbound = outboundFor(t, LOOPBACK);
  const stop = new AbortController();
  const hanging = Array.from({ length: 64 }, () =>
    outbound.post(requestTo(`${receiver.origin}/hangs`, { signal: stop.signal })),
  );
  await pollUntil('all requests hang', async () => receiver.under_way() === 64);
  t.like(await outbound.post(requestTo(`${receiver.origin}/fine`)), { tag: 'answered' });
  stop.abort();
  await Promise.all(hanging);
});

test.serial('a request that cannot be built returns a result and does not throw', async (t) => {
  const receiver = await receiverFor(t);
  const outbound = outboundFor(t, LOOPBACK);
  const headers = { 'X-Split': 'a\r\nX-Injected: b' };
  t.like(await outbound.post(requestTo(receiver.origin, { headers })), {
    tag: 'failed',
    code: 'protocol',
    message: 'The request has an invalid form.',
  });
  t.like(await outbound.post(requestTo('http://localhost/')), { tag: 'failed', code: 'address_refused' });
  t.is(receiver.connections(), 0);
});
