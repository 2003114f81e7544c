import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import type { FetchRequest, FetchResult } from '../../../platform/outbound/fetch-result.ts';
import { type Fetcher, openFetcher } from '../../../platform/outbound/https-fetch.ts';
import { type HttpsReceiver, type ReceiverOptions, startHttpsReceiver } from '../../../stack/testing/https-receiver.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { startDnsServer } from './_dns-server.ts';
import { type Closing, certificateFor, type RulesOptions, rulesOf, startListener } from './_outbound-world.ts';

const LOOPBACK = { allowed: ['loopback'] } as const;
const certificate = await certificateFor('localhost', '127.0.0.1', 'media.test');
const MIB = 1024 ** 2;

const receiverFor = async (t: Closing, options: Partial<ReceiverOptions> = {}): Promise<HttpsReceiver> => {
  const receiver = await startHttpsReceiver({ certificate, ...options });
  t.teardown(receiver.close);
  return receiver;
};

const fetcherFor = (t: Closing, options: RulesOptions): Fetcher => {
  const fetcher = openFetcher(rulesOf(options));
  t.teardown(fetcher.close);
  return fetcher;
};

/** A separate folder, with a list of its contents after each fetch. */
const worldOf = async (t: Closing, options: RulesOptions = LOOPBACK) => {
  const folder = await mkdtemp(join(tmpdir(), 'fetched '));
  t.teardown(() => rm(folder, { recursive: true }));
  const fetcher = fetcherFor(t, options);
  const file = join(folder, 'file');
  const fetch = (url: string, changes: Partial<FetchRequest> = {}): Promise<FetchResult> =>
    fetcher.fetchFile({
      ...{ url, file, most_bytes: MIB, timeout_ms: 10_000, idle_ms: 5_000, most_redirects: 3 },
      signal: new AbortController().signal,
      ...changes,
    });
  return { fetcher, folder, file, fetch, left: () => readdir(folder) };
};

/** A TLS server that sends arbitrary bytes after the first input. */
const startSpeaker = async (t: Closing, speak: (socket: TLSSocket) => void): Promise<string> => {
  const sockets: TLSSocket[] = [];
  const server = createTlsServer(certificate, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => speak(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `https://localhost:${(server.address() as AddressInfo).port}/`;
};

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 251));

test.serial('a file is fetched whole by a request that does not identify the caller', async (t) => {
  const receiver = await receiverFor(t);
  receiver.answer('/a%20b.png?sig=x%2Fy', { tag: 'answer', body: BYTES, headers: { 'Content-Type': 'image/png' } });
  const { fetch, file } = await worldOf(t);
  t.deepEqual(await fetch(`${receiver.origin}/a%20b.png?sig=x%2Fy`), {
    tag: 'fetched',
    sha256: sha256(BYTES),
    size_bytes: BYTES.length,
    content_type: 'image/png',
  });
  t.deepEqual(await readFile(file), BYTES);
  const [received] = receiver.received();
  t.is(received?.method, 'GET');
  t.deepEqual(Object.keys(received?.headers ?? {}).sort(), [
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
  t.is(received?.headers['accept-encoding'], 'identity');
});

test.serial('redirects, even relative ones, are followed up to their limit', async (t) => {
  const other = await receiverFor(t);
  other.answer('/end', { tag: 'answer', body: 'here' });
  const receiver = await receiverFor(t);
  const to = (Location: string, status: number) => ({ tag: 'answer', status, headers: { Location } }) as const;
  receiver.answer('/1', to('2?x=1', 301));
  receiver.answer('/2?x=1', to('/3', 307));
  receiver.answer('/3', to(`${other.origin}/end#part`, 302));
  receiver.answer('/loop', { ...to('/loop', 308), headers: { Location: '/loop', 'Set-Cookie': 'a=1' } });
  const { fetch, file, left } = await worldOf(t);
  t.like(await fetch(`${receiver.origin}/1`, { most_redirects: 2 }), { tag: 'failed', code: 'redirects' });
  t.deepEqual(await left(), []);
  t.like(await fetch(`${receiver.origin}/1`), { tag: 'fetched', size_bytes: 4 });
  t.is(await readFile(file, 'utf8'), 'here');
  await rm(file);
  t.like(await fetch(`${receiver.origin}/loop`), { tag: 'failed', code: 'redirects' });
  t.is(receiver.receivedAt('/loop').length, 4);
  t.true(receiver.receivedAt('/loop').every(({ headers }) => headers.cookie === undefined));
});

test.serial('a redirect is refused where a URL would be: schemes, addresses, ports, names', async (t) => {
  const canary = await startListener(t, '127.0.0.2');
  const dns = await startDnsServer((name, type) =>
    type === 'AAAA' ? [] : name === 'private.test' ? ['127.0.0.2'] : 'no_such_name',
  );
  t.teardown(dns.close);
  const receiver = await receiverFor(t);
  const { fetch, left } = await worldOf(t, { allowed: ['127.0.0.1'], dns_server: dns.server });
  const targets = [
    `https://127.0.0.2:${canary.port}/`,
    `https://private.test:${canary.port}/`,
    `https://2130706434:${canary.port}/`,
    `//127.0.0.2:${canary.port}/`,
    `https://[::ffff:127.0.0.2]:${canary.port}/`,
    `http://127.0.0.1:${receiver.port}/`,
    `https://user:pass@127.0.0.1:${receiver.port}/`,
    'https://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'https://',
  ];
  for (const [index, Location] of targets.entries()) {
    receiver.answer(`/${index}`, { tag: 'answer', status: 302, headers: { Location } });
    const result = await fetch(`https://127.0.0.1:${receiver.port}/${index}`);
    t.like(result, { tag: 'failed', code: 'address_refused' }, Location);
    if (result.tag === 'failed') t.notRegex(result.message, /\d+\.\d+|test/, 'a message contains no address');
  }
  t.is(canary.connections(), 0);
  t.deepEqual(await left(), []);
});

test.serial('a name that changes between redirects is contacted only at checked addresses', async (t) => {
  const receiver = await receiverFor(t);
  const canary = await startListener(t, '127.0.0.2', (socket) => socket.destroy());
  let asked = 0;
  const dns = await startDnsServer((_name, type) => {
    if (type === 'AAAA') return [];
    asked += 1;
    return asked === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
  });
  t.teardown(dns.close);
  receiver.answer('/again', { tag: 'answer', status: 302, headers: { Location: '/next' } });
  const { fetch } = await worldOf(t, { allowed: ['127.0.0.1'], dns_server: dns.server });
  t.like(await fetch(`https://media.test:${receiver.port}/again`), { tag: 'failed', code: 'address_refused' });
  t.is(receiver.received().length, 1);
  t.is(canary.connections(), 0);
});

test.serial('a file that is too large is refused, with or without a stated length', async (t) => {
  const receiver = await receiverFor(t, { answer: { tag: 'big', size_bytes: 50 * MIB } });
  receiver.answer('/says', { tag: 'answer', body: Buffer.alloc(2 * MIB) });
  receiver.answer('/exact', { tag: 'answer', body: Buffer.alloc(MIB) });
  const { fetch, left } = await worldOf(t);
  const message = 'It is larger than the 1 MiB that are allowed.';
  t.like(await fetch(`${receiver.origin}/says`), { tag: 'failed', code: 'too_large', status: 200, message });
  t.like(await fetch(`${receiver.origin}/endless`), { tag: 'failed', code: 'too_large', status: 200, message });
  t.deepEqual(await left(), []);
  t.like(await fetch(`${receiver.origin}/exact`), { tag: 'fetched', size_bytes: MIB });
  await pollUntil('the connections are closed', async () => receiver.under_way() === 0);
});

test.serial('a body whose length differs from its headers fails the fetch', async (t) => {
  const { fetch, left, file } = await worldOf(t);
  const saying = (text: string) => startSpeaker(t, (socket) => socket.end(text));
  const OK = 'HTTP/1.1 200 OK\r\n';
  t.like(await fetch(await saying(`${OK}Content-Length: 10\r\n\r\nabc`)), { tag: 'failed', code: 'connection_reset' });
  t.like(await fetch(await saying(`${OK}Content-Length: 5\r\nContent-Length: 3\r\n\r\nabcde`)), { code: 'protocol' });
  t.like(await fetch(await saying(`${OK}Content-Length: -1\r\n\r\nabc`)), { tag: 'failed', code: 'protocol' });
  t.like(await fetch(await saying(`${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)), {
    code: 'protocol',
  });
  t.like(await fetch(await saying(`${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`)), {
    code: 'connection_reset',
  });
  t.deepEqual(await left(), []);
  t.like(await fetch(await saying(`${OK}Content-Length: 3\r\n\r\nabcde`)), { tag: 'fetched', size_bytes: 3 });
  t.is(await readFile(file, 'utf8'), 'abc');
});

test.serial('slow servers time out', async (t) => {
  const receiver = await receiverFor(t);
  receiver.answer('/drip', { tag: 'drip', every_ms: 20 });
  receiver.answer('/slow-drip', { tag: 'drip', every_ms: 60_000 });
  receiver.answer('/hang', { tag: 'hang' });
  receiver.answer('/reset', { tag: 'reset' });
  const { fetch, left } = await worldOf(t);
  const late = { tag: 'failed', code: 'timeout' } as const;
  t.like(await fetch(`${receiver.origin}/drip`, { timeout_ms: 3_000 }), { ...late, status: 200 });
  t.like(await fetch(`${receiver.origin}/slow-drip`, { idle_ms: 200 }), {
    ...late,
    message: 'Nothing came for too long.',
  });
  t.like(await fetch(`${receiver.origin}/hang`, { timeout_ms: 3_000 }), {
    ...late,
    message: 'The host did not answer in time.',
  });
  t.like(await fetch(`${receiver.origin}/reset`), { tag: 'failed', code: 'connection_reset' });
  const silent = await startListener(t, '127.0.0.1', () => undefined);
  t.like(await fetch(`https://127.0.0.1:${silent.port}/`, { timeout_ms: 300 }), {
    ...late,
    message: 'The connection timed out.',
  });
  const stopped = new AbortController();
  const ended = fetch(`${receiver.origin}/hang`, { signal: stopped.signal });
  await pollUntil('the request is there', async () => receiver.receivedAt('/hang').length === 2);
  stopped.abort();
  t.like(await ended, { tag: 'failed', code: 'stopped' });
  t.deepEqual(await left(), []);
  await pollUntil('no connection is open', async () => receiver.under_way() === 0);
});

test.serial('the time limit includes all redirects', async (t) => {
  const receiver = await receiverFor(t, {
    answer: { tag: 'answer', status: 302, headers: { Location: '/' }, delay_ms: 150 },
  });
  const { fetch } = await worldOf(t);
  t.like(await fetch(receiver.origin, { timeout_ms: 400, most_redirects: 100 }), { tag: 'failed', code: 'timeout' });
  t.true(receiver.received().length <= 3);
});

test.serial('only a complete, uncompressed 200 answer is accepted', async (t) => {
  const receiver = await receiverFor(t);
  const { fetch, left } = await worldOf(t);
  for (const status of [201, 204, 206, 300, 304, 404, 410, 429, 500, 503]) {
    receiver.answer(`/${status}`, { tag: 'answer', status });
    t.like(await fetch(`${receiver.origin}/${status}`), {
      tag: 'failed',
      code: 'status',
      status,
      message: `The server answered ${status}.`,
    });
  }
  const body = gzipSync(Buffer.alloc(10 * MIB));
  receiver.answer('/gzip', { tag: 'answer', headers: { 'Content-Encoding': 'gzip' }, body });
  t.like(await fetch(`${receiver.origin}/gzip`), { tag: 'failed', code: 'encoded' });
  t.deepEqual(await left(), []);
  receiver.answer('/identity', { tag: 'answer', headers: { 'Content-Encoding': 'identity' }, body: 'x' });
  t.like(await fetch(`${receiver.origin}/identity`), { tag: 'fetched' });
});

test.serial('only TLS with a certificate for the name is accepted', async (t) => {
  const receiver = await receiverFor(t);
  const wrong = await receiverFor(t, { certificate: await certificateFor('other.test') });
  const { fetch } = await worldOf(t);
  t.like(await fetch(`http://localhost:${receiver.port}/`), { tag: 'failed', code: 'address_refused' });
  t.like(await fetch(wrong.origin), { tag: 'failed', code: 'tls' });
  const stranger = await worldOf(t, { ...LOOPBACK, trusts_own: false });
  t.like(await stranger.fetch(receiver.origin), { tag: 'failed', code: 'tls' });
  t.deepEqual([receiver.received().length, wrong.received().length], [0, 0]);
});

test.serial('a fetch never overwrites an existing file or follows a symbolic link', async (t) => {
  const receiver = await receiverFor(t, { answer: { tag: 'answer', body: 'new' } });
  const { fetch, folder, file } = await worldOf(t);
  const precious = join(folder, 'precious');
  await writeFile(precious, 'old');
  await symlink(precious, file);
  t.like(await fetch(receiver.origin), { tag: 'failed', code: 'not_stored' });
  t.like(await fetch(receiver.origin, { file: precious }), { tag: 'failed', code: 'not_stored' });
  t.like(await fetch(receiver.origin, { file: join(folder, 'none', 'file') }), { code: 'not_stored' });
  t.is(await readFile(precious, 'utf8'), 'old');
});

test.serial('a closed fetcher ends its open fetches and starts no others', async (t) => {
  const server = createServer(certificate, (_request, response) => {
    response.writeHead(200);
    response.write('x');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { fetch, fetcher, left } = await worldOf(t);
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
  const ended = fetch(url);
  await pollUntil('part of the file is there', async () => (await left()).length === 1);
  await fetcher.close();
  t.like(await ended, { tag: 'failed', code: 'stopped' });
  t.deepEqual(await left(), []);
  t.like(await fetch(url), { tag: 'failed', code: 'stopped' });
});
