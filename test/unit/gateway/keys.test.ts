import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test, { type ExecutionContext } from 'ava';
import { isRight } from 'fp-ts/lib/Either.js';
import { mintApiKey } from '../../../domain/access/api-key.ts';
import { addressGroup, trustedProxies } from '../../../gateway/client-address.ts';
import { keyFingerprint } from '../../../gateway/invalid-key-limiter.ts';
import { sha256Hex } from '../../../platform/access/sha256.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { gatewayIn } from './_gateway.ts';
import { line, rawClient, upstream } from './_upstream.ts';

const newKey = (): string => mintApiKey(randomBytes(32), sha256Hex)?.key ?? '';

type Answer = { readonly status: number; readonly retry_after: string | undefined };

const asked = (url: string, key: string | null, from = '127.0.0.1', more: Readonly<Record<string, string>> = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const headers = { ...more, ...(key === null ? {} : { Authorization: `Bearer ${key}` }) };
    request(`${url}/v1/teams`, { localAddress: from, headers, agent: false }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, retry_after: answer.headers['retry-after'] }));
    })
      .on('error', reject)
      .end();
  });

const world = async (t: ExecutionContext, settings: Readonly<Record<string, string>> = {}) => {
  const valid = new Set([newKey(), newKey(), newKey()]);
  const counts = { asked: 0, at_once: 0, most: 0 };
  const { env } = await upstream(t, ({ headers: { authorization = '' } }, response) => {
    counts.asked += 1;
    counts.at_once += 1;
    counts.most = Math.max(counts.most, counts.at_once);
    response.once('close', () => {
      counts.at_once -= 1;
    });
    setImmediate(() => {
      if (valid.has(authorization.slice('Bearer '.length))) response.setHeader('RateLimit-Limit', '100');
      else response.statusCode = 401;
      response.end('{}');
    });
  });
  const gateway = await gatewayIn(t, { env: { ...env, GATEWAY_REFUSED_KEYS_PER_MINUTE: '10', ...settings } });
  return {
    url: gateway.url,
    valid: [...valid] as readonly string[],
    revoke: (key: string) => valid.delete(key),
    counts,
  };
};

test('keyless requests over the limit get 429, and valid keys pass', async (t) => {
  const { url, valid, counts, revoke } = await world(t);
  const [known = '', unseen = ''] = valid;
  t.is((await asked(url, known)).status, 200);
  for (let i = 0; i < 10; i += 1) t.is((await asked(url, newKey())).status, 401);
  t.like(await asked(url, null), { status: 429, retry_after: '6' });
  t.is((await asked(url, 'nonsense')).status, 429);
  const before = counts.asked;
  for (let i = 0; i < 5; i += 1) t.is((await asked(url, `${newKey().slice(0, -1)}!`)).status, 429);
  t.is(counts.asked, before, 'a malformed key causes no request to the API');
  t.is((await asked(url, newKey())).status, 429, 'a well-formed key learns no more');
  t.is((await asked(url, known)).status, 200);
  t.is((await asked(url, unseen)).status, 200);
  t.is((await asked(url, null, '127.0.0.2')).status, 401, 'other addresses have their own limit');
  t.is((await fetch(`${url}/v1/docs`)).status, 401, 'and requests without a key still pass');
  revoke(known);
  t.is((await asked(url, known)).status, 401);
  t.is((await asked(url, known)).status, 429);
});

test('a new key passes while its address is flooded with invalid keys', async (t) => {
  t.timeout(60_000);
  const { url, valid, counts } = await world(t, { GATEWAY_CONNECTIONS_PER_ADDRESS: '64' });
  for (let i = 0; i < 10; i += 1) await asked(url, newKey());
  let flooding = true;
  counts.most = 0;
  const statuses = new Set<number>();
  const flood = Promise.all(
    Array.from({ length: 60 }, async () => {
      while (flooding)
        await asked(url, newKey()).then(
          ({ status }) => statuses.add(status),
          () => undefined,
        );
    }),
  );
  await pollUntil('the flood has started', async () => statuses.size > 0);
  for (const key of valid) t.is((await asked(url, key)).status, 200);
  flooding = false;
  await flood;
  t.deepEqual([...statuses], [429]);
  t.true(counts.most <= 5, 'few keys are checked at once');
});

test("a known key passes while unchecked keys fill its address's share", async (t) => {
  const { url, valid } = await world(t, { GATEWAY_CONNECTIONS_PER_ADDRESS: '16' });
  const [known = ''] = valid;
  t.is((await asked(url, known)).status, 200);
  for (let i = 0; i < 10; i += 1) await asked(url, newKey());
  let answers = 0;
  for (let i = 0; i < 16; i += 1) {
    const { socket } = await rawClient(t, url, '');
    const ask = () => socket.write(line('GET', '/v1/teams', `Authorization: Bearer ${newKey()}`));
    for (let ahead = 0; ahead < 5; ahead += 1) ask();
    socket.on('data', (chunk: Buffer) => {
      const came = chunk.toString('latin1').split('HTTP/1.1 429').length - 1;
      answers += came;
      for (let more = 0; more < came; more += 1) ask();
    });
  }
  await pollUntil('the flood has started', async () => answers > 50);
  const statuses = new Set<number>();
  for (let i = 0; i < 5; i += 1) statuses.add((await asked(url, known)).status);
  t.deepEqual([...statuses], [200]);
});

test('a key is the same with any spaces around it', (t) => {
  t.is(keyFingerprint('Bearer abc'), keyFingerprint('bearer   abc '));
  t.not(keyFingerprint('Bearer abc'), keyFingerprint('Bearer abd'));
});

test('a client that leaves before the answer counts as refused', async (t) => {
  const { url, counts, valid } = await world(t);
  for (let i = 0; i < 10; i += 1) {
    const before = counts.asked;
    const leaving = await rawClient(t, url, line('GET', '/v1/teams', `Authorization: Bearer ${newKey()}`));
    await pollUntil('the API has the request', async () => counts.asked > before);
    leaving.socket.destroy();
  }
  await pollUntil('the address is limited', async () => (await asked(url, null)).status === 429);
  t.is((await asked(url, valid[0] ?? '')).status, 200);
});

test('a client that leaves during its key check occupies no memory', async (t) => {
  let [stuck, held] = [false, 0];
  const { env } = await upstream(t, (_request, response) => {
    response.statusCode = 401;
    if (stuck) held += 1;
    else response.end('{}');
  });
  const { url, metrics } = await gatewayIn(t, { env: { ...env, GATEWAY_REFUSED_KEYS_PER_MINUTE: '1' } });
  await asked(url, newKey());
  stuck = true;
  const post = async (size: number) =>
    await rawClient(
      t,
      url,
      `${line('POST', '/v1/renders', `Authorization: Bearer ${newKey()}`, `Content-Length: ${size}`)}${'x'.repeat(size)}`,
    );
  for (let i = 0; i < 4; i += 1) await post(1);
  await pollUntil('no other key is checked', async () => held === 4);
  const heldBytes = async () => Number(/^gateway_held_bytes\{[^}]*\} (\d+)$/m.exec(await metrics.metrics())?.[1]);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const inMemory = (): number => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = inMemory();
  const [clients, size] = [20, 200_000];
  const leaving = await Promise.all(Array.from({ length: clients }, () => post(size)));
  await pollUntil('their bodies are there', async () => (await heldBytes()) >= clients * size);
  for (const { socket } of leaving) socket.destroy();
  await pollUntil('the clients have disconnected', async () => (await heldBytes()) < size);
  await pollUntil('their memory is free', async () => inMemory() - before < 5 * size, 5_000);
  t.is(held, 4);
});

test('behind a trusted proxy the limit applies to the client', async (t) => {
  const { url } = await world(t, { TRUSTED_PROXIES: '127.0.0.9' });
  const through = (client: string) =>
    asked(url, newKey(), '127.0.0.9', { 'X-Forwarded-For': `198.51.100.1, ${client}` });
  for (let i = 0; i < 10; i += 1) t.is((await through('203.0.113.7')).status, 401);
  t.is((await through('203.0.113.7')).status, 429);
  t.is((await through('203.0.113.8')).status, 401);
  for (let i = 0; i < 10; i += 1) t.is((await through(`2001:db8::${i + 1}`)).status, 401);
  t.is((await through('2001:db8::ffff')).status, 429, 'a /64 is one address');
  t.is((await through('2001:db8:0:1::1')).status, 401);
  for (let i = 0; i < 10; i += 1) await asked(url, newKey(), '127.0.0.3', { 'X-Forwarded-For': `192.0.2.${i}` });
  t.is(
    (await asked(url, newKey(), '127.0.0.3', { 'X-Forwarded-For': '192.0.2.99' })).status,
    429,
    'other proxies are not trusted',
  );
});

test('a connection stays open after a refusal', async (t) => {
  const { url, valid } = await world(t, { TRUSTED_PROXIES: '127.0.0.9', GATEWAY_REFUSED_KEYS_PER_MINUTE: '1' });
  const proxy = await rawClient(t, url, '', '127.0.0.9');
  const statuses = () => Array.from(proxy.text().matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
  for (const [i, authorization] of ['a', 'b', 'c', valid[0]].entries()) {
    proxy.socket.write(
      line('GET', '/v1/teams', 'X-Forwarded-For: 203.0.113.7', `Authorization: Bearer ${authorization}`),
    );
    await pollUntil('the request is answered', async () => statuses().length > i, 5_000);
  }
  t.deepEqual(statuses(), ['401', '429', '429', '200']);
});

test('the last untrusted address of X-Forwarded-For counts', (t) => {
  const proxies = trustedProxies(['10.0.0.0/8', 'loopback']);
  if (!isRight(proxies)) throw new Error(proxies.left);
  const { clientOf, trusts } = proxies.right;
  t.is(clientOf('10.0.0.1', '1.2.3.4'), '1.2.3.4');
  t.is(clientOf('10.0.0.1', '6.6.6.6, 1.2.3.4, 10.9.9.9'), '1.2.3.4');
  t.is(clientOf('10.0.0.1', '1.2.3.4:5678'), '1.2.3.4');
  t.is(clientOf('10.0.0.1', '[2001:db8::1]:5678'), '2001:db8::/64');
  t.is(clientOf('10.0.0.1', 'nonsense'), '10.0.0.1');
  t.is(clientOf('10.0.0.1', '1.2.3.4, nonsense'), '10.0.0.1');
  t.is(clientOf('10.0.0.1', undefined), '10.0.0.1');
  t.is(clientOf('10.0.0.1', '10.0.0.2, 10.0.0.3'), '10.0.0.2');
  t.true(trusts('::ffff:10.1.2.3'));
  t.false(trusts('11.0.0.1'));
  t.is(addressGroup('::ffff:1.2.3.4'), '1.2.3.4');
  t.is(addressGroup('fe80::1%eth0'), 'fe80::/64');
  t.is(addressGroup('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  t.true(isRight(trustedProxies([])));
  t.deepEqual(trustedProxies(['everybody']), {
    _tag: 'Left',
    left: 'TRUSTED_PROXIES: everybody is neither a block of addresses like 10.1.0.0/16 nor one of loopback, private, unique_local, link_local, cgnat, benchmarking',
  });
});

test("unchecked keys use at most half of their address's connections", async (t) => {
  let held = 0;
  const { env } = await upstream(t, (request, response) => {
    response.statusCode = 401;
    if (request.method === 'POST') held += 1;
    else response.end('{}');
  });
  const settings = { GATEWAY_REFUSED_KEYS_PER_MINUTE: '1', GATEWAY_CONNECTIONS_PER_ADDRESS: '16' };
  const { url, metrics } = await gatewayIn(t, { env: { ...env, ...settings } });
  await asked(url, newKey());
  const beginPost = () => {
    const headers = ['Content-Length: 2', 'Expect: 100-continue', `Authorization: Bearer ${newKey()}`];
    return rawClient(t, url, line('POST', '/v1/renders', ...headers));
  };
  const posts = await Promise.all(Array.from({ length: 16 }, beginPost));
  await pollUntil('all heads were read', async () => posts.every(({ text }) => text().startsWith('HTTP/1.1 100 ')));
  for (const { socket } of posts) socket.write('{}');
  await pollUntil('the maximum of checks is running', async () => held === 4);
  await pollUntil('all clients wait', async () => /^gateway_held_bytes\{[^}]*\} 32$/m.test(await metrics.metrics()));
  const gone = () => posts.filter(({ socket }) => socket.destroyed).length;
  t.is(gone(), 0);
  for (let i = 0; i < 8; i += 1) {
    const newcomer = await beginPost();
    await pollUntil('its head was read', async () => newcomer.text().startsWith('HTTP/1.1 100 '));
  }
  await pollUntil('some connections were evicted', async () => gone() >= 4);
  t.deepEqual([gone(), held], [16 - 4 - 8, 4]);
});

test('public requests are limited per address, and few run at once', async (t) => {
  const held = Promise.withResolvers<void>();
  let asked_for = 0;
  const { env } = await upstream(t, (_request, response) => {
    asked_for += 1;
    void held.promise.then(() => response.end('{}'));
  });
  const { url } = await gatewayIn(t, { env: { ...env, GATEWAY_OPEN_REQUESTS_PER_MINUTE: '20' } });
  const docs = await Promise.all(Array.from({ length: 30 }, () => rawClient(t, url, line('GET', '/'))));
  const refused = () => docs.filter(({ text }) => text().startsWith('HTTP/1.1 429 ')).length;
  await pollUntil('ten are refused', async () => refused() === 10);
  t.is(asked_for, 8);
  const other = await rawClient(t, url, line('GET', '/'), '127.0.0.2');
  held.resolve();
  await pollUntil(
    'all others are answered',
    async () => docs.filter(({ text }) => text().includes(' 200 ')).length === 20,
  );
  await pollUntil('another address is answered too', async () => other.text().includes(' 200 '));
});
