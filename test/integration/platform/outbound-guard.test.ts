import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import test from 'ava';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { resolveChecked } from '../../../platform/outbound/checked-addresses.ts';
import { startHttpsReceiver } from '../../../stack/testing/https-receiver.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { type DnsAnswer, type DnsServer, startDnsServer } from './_dns-server.ts';
import { type Closing, certificateFor, outboundFor, requestTo, rulesOf, startListener } from './_outbound-world.ts';

const dnsServer = async (
  t: Closing,
  answer: (name: string, type: 'A' | 'AAAA', nth: number) => DnsAnswer,
): Promise<DnsServer> => {
  const counts = new Map<string, number>();
  const server = await startDnsServer((name, type) => {
    const nth = (counts.get(`${type} ${name}`) ?? 0) + 1;
    counts.set(`${type} ${name}`, nth);
    return answer(name, type, nth);
  });
  t.teardown(server.close);
  return server;
};

/** DNS answers by name. A separate name for each kind of address. */
const NAMES: Readonly<Record<string, { readonly A: readonly string[]; readonly AAAA: readonly string[] }>> = {
  'loopback.test': { A: ['127.0.0.1'], AAAA: [] },
  'loopback6.test': { A: [], AAAA: ['::1'] },
  'mapped.test': { A: [], AAAA: ['::ffff:127.0.0.1'] },
  'compatible.test': { A: [], AAAA: ['::127.0.0.1'] },
  'nat64.test': { A: [], AAAA: ['64:ff9b::127.0.0.1'] },
  '6to4.test': { A: [], AAAA: ['2002:7f00:1::1'] },
  'teredo.test': { A: [], AAAA: ['2001:0:4136:e378:8000:63bf:3fff:fdd2'] },
  'any.test': { A: ['0.0.0.0'], AAAA: [] },
  'any6.test': { A: [], AAAA: ['::'] },
  'private.test': { A: ['10.0.0.1'], AAAA: [] },
  'link-local.test': { A: ['169.254.1.1'], AAAA: [] },
  'metadata.test': { A: ['169.254.169.254'], AAAA: [] },
  'wire-server.test': { A: ['168.63.129.16'], AAAA: [] },
  'cgnat.test': { A: ['100.64.0.1'], AAAA: [] },
  'multicast.test': { A: ['224.0.0.1'], AAAA: [] },
  'broadcast.test': { A: ['255.255.255.255'], AAAA: [] },
  'unique-local.test': { A: [], AAAA: ['fd12::1'] },
  'mixed.test': { A: ['1.1.1.1', '127.0.0.1'], AAAA: [] },
  'mixed6.test': { A: ['1.1.1.1'], AAAA: ['::1'] },
  'last-of-many.test': { A: ['1.1.1.1', '1.0.0.1', '8.8.8.8', '8.8.4.4', '9.9.9.9', '127.0.0.1'], AAAA: [] },
};

test('no URL or name reaches a local listener', async (t) => {
  const canary = await startListener(t, '::');
  const { port } = canary;
  const dns = await dnsServer(t, (name, type) => NAMES[name]?.[type] ?? 'no_such_name');
  const outbound = outboundFor(t, { dns_server: dns.server });
  const hosts = [
    ...[
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.0.0.1.',
      '127.0.0.1..',
      '０x7f.1',
      '0',
      '0.0.0.0',
    ],
    ...[
      '%31%32%37.0.0.1',
      '127。0。0。1',
      '127.255.255.254',
      '10.0.0.1',
      '169.254.169.254',
      '168.63.129.16',
      '100.64.0.1',
    ],
    ...[
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::1]',
    ],
    ...[
      '[fe80::1]',
      '[fd00:ec2::254]',
      'localhost',
      'localhost.',
      'LOCALHOST',
      'a.localhost',
      'x@127.0.0.1',
      '8.8.8.8@localhost',
    ],
    ...Object.keys(NAMES),
    ...Object.keys(NAMES).map((name) => `${name.toUpperCase()}.`),
  ];
  t.true(hosts.length >= 70);
  for (const host of hosts) {
    const result = await outbound.post(requestTo(`https://${host}:${port}/`));
    t.like(result, { tag: 'failed', code: 'address_refused' }, host);
    if (result.tag === 'failed') t.notRegex(result.message, /\d+\.\d+|::/, 'a message contains no address');
  }
  t.is(canary.connections(), 0);
});

test('with the range allowed, the same host is reachable', async (t) => {
  const canary = await startListener(t, '::');
  const outbound = outboundFor(t, { allowed: ['loopback'] });
  t.like(await outbound.post(requestTo(`https://2130706433:${canary.port}/`)), {
    tag: 'failed',
    code: 'connection_reset',
  });
  t.like(await outbound.post(requestTo(`https://[::1]:${canary.port}/`)), { tag: 'failed', code: 'connection_reset' });
  t.is(canary.connections(), 2);
});

test('a name that resolves elsewhere between check and connection is refused', async (t) => {
  const canary = await startListener(t, '127.0.0.2');
  const dns = await dnsServer(t, (_name, type, nth) =>
    type === 'AAAA' ? [] : nth === 1 ? ['127.0.0.1'] : ['127.0.0.2'],
  );
  const rules = { allowed: ['127.0.0.1'], dns_server: dns.server };
  const url = new URL(`https://hook.test:${canary.port}/`);
  t.deepEqual(await resolveChecked(url, rulesOf(rules)), { _tag: 'Right', right: ['127.0.0.1'] });
  t.like(await outboundFor(t, rules).post(requestTo(url.href)), { tag: 'failed', code: 'address_refused' });
  t.is(canary.connections(), 0);
});

test('a name that changes with every answer is contacted only at checked addresses', async (t) => {
  const receiver = await startHttpsReceiver({ certificate: await certificateFor('hook.test') });
  t.teardown(receiver.close);
  const canary = await startListener(t, '127.0.0.2');
  const dns = await dnsServer(t, (_name, type, nth) =>
    type === 'AAAA' ? [] : nth % 2 === 1 ? ['127.0.0.1'] : ['127.0.0.2'],
  );
  const outbound = outboundFor(t, { allowed: ['127.0.0.1'], dns_server: dns.server });
  const codes: string[] = [];
  for (const [n, port] of Array.from(
    { length: 60 },
    (_, n) => [n, n % 3 === 0 ? receiver.port : canary.port] as const,
  )) {
    const result = await outbound.post(requestTo(`https://hook.test:${port}/${n}`));
    codes.push(result.tag === 'answered' ? 'answered' : result.code);
  }
  t.deepEqual([...new Set(codes)].sort(), ['address_refused', 'answered', 'connection_refused']);
  t.is(canary.connections(), 0);
});

test('a kept connection keeps its checked address, and a new one is checked again', async (t) => {
  const receiver = await startHttpsReceiver({ certificate: await certificateFor('hook.test') });
  t.teardown(receiver.close);
  let moved = false;
  const dns = await dnsServer(t, (_name, type) => (type === 'AAAA' ? [] : moved ? ['10.0.0.1'] : ['127.0.0.1']));
  const outbound = outboundFor(t, { allowed: ['127.0.0.1'], dns_server: dns.server });
  const url = `https://hook.test:${receiver.port}/`;
  t.like(await outbound.post(requestTo(url)), { tag: 'answered', status: 200 });
  moved = true;
  t.like(await outbound.post(requestTo(url)), { tag: 'answered', status: 200 });
  t.is(receiver.connections(), 1);
  await receiver.down();
  await receiver.up();
  t.like(await outbound.post(requestTo(url)), { tag: 'failed', code: 'address_refused' });
  t.is(receiver.connections(), 1);
});

test('a redirect is returned and not followed', async (t) => {
  const canary = await startListener(t, '127.0.0.1');
  const receiver = await startHttpsReceiver({ certificate: await certificateFor('localhost') });
  t.teardown(receiver.close);
  const outbound = outboundFor(t, { allowed: ['loopback'] });
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.answer(`/${status}`, {
      tag: 'answer',
      status,
      headers: { Location: `https://127.0.0.1:${canary.port}/` },
    });
    t.like(await outbound.post(requestTo(`${receiver.origin}/${status}`)), { tag: 'answered', status });
  }
  t.is(canary.connections(), 0);
});

test('unknown, address-less, broken and silent names are reported', async (t) => {
  const dns = await dnsServer(t, (name) =>
    name === 'empty.test'
      ? []
      : name === 'broken.test'
        ? 'server_failure'
        : name === 'silent.test'
          ? 'silence'
          : 'no_such_name',
  );
  const outbound = outboundFor(t, { dns_server: dns.server });
  const post = (host: string) => outbound.post(requestTo(`https://${host}/`));
  t.like(await post('nobody.test'), { code: 'name_not_found', message: 'The host name does not exist.' });
  t.like(await post('empty.test'), { code: 'name_not_found', message: 'The host name does not exist.' });
  t.like(await post('broken.test'), {
    code: 'name_not_found',
    message: 'The look-up of the host name failed (ESERVFAIL).',
  });
  const silent = requestTo('https://silent.test/', { timeout_ms: 500 });
  t.like(await outbound.post(silent), { code: 'timeout', message: 'The connection timed out.' });
  const url = await resolveChecked(new URL('https://nobody.test/'), rulesOf({ dns_server: dns.server }));
  t.true(isLeft(url) && url.left.code === 'name_not_found');
});

test('a name whose server is silent about one family is contacted at the other', async (t) => {
  const receiver = await startHttpsReceiver({ certificate: await certificateFor('half.test') });
  t.teardown(receiver.close);
  const dns = await dnsServer(t, (_name, type) => (type === 'A' ? ['127.0.0.1'] : 'silence'));
  const outbound = outboundFor(t, { allowed: ['loopback'], dns_server: dns.server });
  const result = await outbound.post(requestTo(`https://half.test:${receiver.port}/`));
  t.like(result, { tag: 'answered', status: 200 });
  t.true(result.duration_ms < 8_000, `${result.duration_ms} ms`);
});

test('names that hang do not delay others', async (t) => {
  const receiver = await startHttpsReceiver({ certificate: await certificateFor('healthy.test') });
  t.teardown(receiver.close);
  const dns = await dnsServer(t, (name, type) =>
    name !== 'healthy.test' ? 'silence' : type === 'A' ? ['127.0.0.1'] : [],
  );
  const outbound = outboundFor(t, { allowed: ['loopback'], dns_server: dns.server });
  const stop = new AbortController();
  const hanging = Array.from({ length: 50 }, (_, n) =>
    outbound.post(requestTo(`https://hanging-${n}.test/`, { signal: stop.signal })),
  );
  for (let n = 0; n < 10; n += 1) {
    const result = await outbound.post(requestTo(`https://healthy.test:${receiver.port}/`));
    t.like(result, { tag: 'answered', status: 200 });
  }
  stop.abort();
  t.true((await Promise.all(hanging)).every((result) => result.tag === 'failed' && result.code === 'stopped'));
});

test('names known only to this system resolve only if private addresses are allowed', async (t) => {
  const dns = await dnsServer(t, () => 'no_such_name');
  const own = await lookup(hostname()).catch(() => null);
  if (own === null || hostname() === 'localhost') return t.pass('this machine does not know its own name');
  const url = new URL(`https://${hostname()}/`);
  const whole = await resolveChecked(url, rulesOf({ allowed: ['0.0.0.0/0', '::/0'], dns_server: dns.server }));
  t.true(isRight(whole) && whole.right.includes(own.address));
  const publicOnly = await resolveChecked(url, rulesOf({ dns_server: dns.server }));
  t.true(isLeft(publicOnly) && publicOnly.left.code === 'name_not_found');
});

test('names that end with localhost mean this machine, whatever a name server answers', async (t) => {
  const dns = await dnsServer(t, () => ['1.1.1.1']);
  const rules = rulesOf({ allowed: ['loopback'], dns_server: dns.server });
  for (const host of ['localhost', 'a.localhost'])
    t.deepEqual(await resolveChecked(new URL(`https://${host}/`), rules), {
      _tag: 'Right',
      right: ['127.0.0.1', '::1'],
    });
  t.deepEqual(dns.asked(), []);
});

test('if one address of a host refuses, the next one is tried', async (t) => {
  const receiver = await startHttpsReceiver({ certificate: await certificateFor('two.test') });
  t.teardown(receiver.close);
  const dns = await dnsServer(t, (_name, type) => (type === 'A' ? ['127.0.0.2', '127.0.0.1', '127.0.0.3'] : ['::1']));
  const outbound = outboundFor(t, { allowed: ['loopback'], dns_server: dns.server });
  for (let n = 0; n < 6; n += 1)
    t.like(await outbound.post(requestTo(`https://two.test:${receiver.port}/`)), { tag: 'answered', status: 200 });
});

test('a few of many addresses are tried, from both families', async (t) => {
  const many: Readonly<Record<string, readonly [number, number]>> = {
    'both.test': [9, 9],
    'v4.test': [9, 0],
    'v6.test': [1, 9],
  };
  const dns = await dnsServer(t, (name, type) => {
    const [v4, v6] = many[name] ?? [0, 0];
    return Array.from({ length: type === 'A' ? v4 : v6 }, (_, n) => (type === 'A' ? `1.1.1.${n}` : `2606:4700::${n}`));
  });
  const families = async (name: string): Promise<string> => {
    const found = await resolveChecked(new URL(`https://${name}/`), rulesOf({ dns_server: dns.server }));
    return isRight(found) ? found.right.map((one) => (one.includes(':') ? '6' : '4')).join('') : found.left.code;
  };
  t.is(await families('both.test'), '4466');
  t.is(await families('v4.test'), '4444');
  t.is(await families('v6.test'), '4666');
});

test('concurrent connections share one look-up', async (t) => {
  const receiver = await startHttpsReceiver({ certificate: await certificateFor('one.test') });
  t.teardown(receiver.close);
  const dns = await dnsServer(t, (_name, type) => (type === 'A' ? ['127.0.0.1'] : []));
  const outbound = outboundFor(t, { allowed: ['loopback'], dns_server: dns.server });
  const posts = Array.from({ length: 8 }, () => outbound.post(requestTo(`https://one.test:${receiver.port}/`)));
  for (const result of await Promise.all(posts)) t.like(result, { tag: 'answered' });
  t.is(receiver.connections(), 8);
  t.deepEqual([...dns.asked()].sort(), ['A one.test', 'AAAA one.test']);
});

test('a connection has a maximum age, then its host is resolved and checked again', async (t) => {
  const receiver = await startHttpsReceiver({ certificate: await certificateFor('hook.test') });
  t.teardown(receiver.close);
  let moved = false;
  const dns = await dnsServer(t, (_name, type) => (type === 'AAAA' ? [] : moved ? ['10.0.0.1'] : ['127.0.0.1']));
  const rules = { allowed: ['127.0.0.1'], dns_server: dns.server };
  const outbound = outboundFor(t, rules, { connection_life_ms: 1_500 });
  const post = () => outbound.post(requestTo(`https://hook.test:${receiver.port}/`));
  t.like(await post(), { tag: 'answered' });
  moved = true;
  t.like(await post(), { tag: 'answered' });
  await pollUntil('the connection attempt has ended', async () => {
    const result = await post();
    return result.tag === 'failed' && result.code === 'address_refused';
  });
  t.is(receiver.connections(), 1);
});
