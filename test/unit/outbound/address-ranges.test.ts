import test from 'ava';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { type AddressRules, addressRules, isDialAllowed } from '../../../platform/outbound/address-ranges.ts';

const rulesOf = (...names: readonly string[]): AddressRules => {
  const rules = addressRules(names);
  if (isLeft(rules)) throw new Error(rules.left);
  return rules.right;
};

const PUBLIC_ONLY = rulesOf();
const EVERYTHING = rulesOf('0.0.0.0/0', '::/0');

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.1',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
];

/** The kind of each address, so that a failed test names it. */
const NOT_PUBLIC: Readonly<Record<string, string>> = {
  '0.0.0.0': 'this host',
  '0.1.2.3': 'this network',
  '10.0.0.1': 'private',
  '10.255.255.255': 'private, its end',
  '100.64.0.1': 'carrier-grade NAT',
  '100.127.255.255': 'carrier-grade NAT, its end',
  '100.100.100.200': 'metadata of Alibaba',
  '127.0.0.1': 'loopback',
  '127.255.255.254': 'loopback, its end',
  '168.63.129.16': 'wire server of Azure',
  '169.254.0.1': 'link-local',
  '169.254.169.254': 'metadata',
  '169.254.170.2': 'metadata of containers',
  '172.16.0.1': 'private',
  '172.31.255.255': 'private, its end',
  '192.0.0.8': 'protocol assignments',
  '192.0.0.192': 'metadata of Oracle',
  '192.0.2.1': 'documentation',
  '192.31.196.1': 'AS112',
  '192.52.193.1': 'AMT',
  '192.88.99.1': '6to4 relays',
  '192.168.0.1': 'private',
  '192.175.48.1': 'AS112',
  '198.18.0.1': 'benchmarks',
  '198.19.255.255': 'benchmarks, their end',
  '198.51.100.1': 'documentation',
  '203.0.113.1': 'documentation',
  '224.0.0.1': 'multicast',
  '239.255.255.255': 'multicast, its end',
  '240.0.0.1': 'reserved',
  '255.255.255.255': 'broadcast',
  '::': 'this host',
  '::1': 'loopback',
  '::2': 'compatible',
  '::7f00:1': 'compatible, loopback',
  '::127.0.0.1': 'compatible, loopback',
  '::8.8.8.8': 'compatible, public',
  '::ffff:127.0.0.1': 'mapped, loopback',
  '::ffff:7f00:1': 'mapped, loopback',
  '::ffff:8.8.8.8': 'mapped, public',
  '::ffff:169.254.169.254': 'mapped, metadata',
  '::ffff:0:127.0.0.1': 'translated, loopback',
  '64:ff9b::7f00:1': 'NAT64, loopback',
  '64:ff9b::8.8.8.8': 'NAT64, public',
  '64:ff9b:1::1': 'NAT64, of the network',
  '100::1': 'discard',
  '2001::1': 'Teredo',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2': 'Teredo',
  '2001:2::1': 'benchmarks',
  '2001:3::1': 'AMT',
  '2001:4:112::1': 'AS112',
  '2001:10::1': 'ORCHID',
  '2001:20::1': 'ORCHID v2',
  '2001:1ff:ffff::1': 'protocol assignments, their end',
  '2001:db8::1': 'documentation',
  '2002:7f00:1::': '6to4, loopback',
  '2002:808:808::1': '6to4, public',
  '2620:4f:8000::1': 'AS112',
  '3fff::1': 'documentation',
  '4000::1': 'not given out',
  '5f00::1': 'segment routing',
  'fc00::1': 'unique local',
  'fd00:ec2::254': 'metadata',
  'fd20:ce::254': 'metadata of GCP',
  'fdff:ffff::1': 'unique local, its end',
  'fe80::1': 'link-local',
  'fe80::1%eth0': 'link-local, with a zone',
  'fec0::1': 'site-local',
  'ff02::1': 'multicast',
};

for (const address of PUBLIC)
  test(`${address} is allowed`, (t) => {
    t.true(isDialAllowed(address, PUBLIC_ONLY));
  });

for (const [address, what] of Object.entries(NOT_PUBLIC))
  test(`${address} (${what}) is refused`, (t) => {
    t.false(isDialAllowed(address, PUBLIC_ONLY));
  });

test('no rule allows a text that is not an address', (t) => {
  const odd = [
    '',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '[::1]',
    '127.0.0.1:80',
    ' 127.0.0.1',
  ];
  for (const text of odd) t.false(isDialAllowed(text, EVERYTHING), text);
});

test('no rule allows an address embedded in another one', (t) => {
  const hidden = [
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '::127.0.0.1',
  ];
  for (const address of hidden) t.false(isDialAllowed(address, EVERYTHING), address);
});

test('exactly the named range is allowed', (t) => {
  const rules = rulesOf('loopback');
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '8.8.8.8']) t.true(isDialAllowed(address, rules), address);
  for (const address of ['10.0.0.1', '169.254.169.254', '::2', '::', '0.0.0.0', '::ffff:127.0.0.1'])
    t.false(isDialAllowed(address, rules), address);
});

test('every named range contains what its name says', (t) => {
  const samples: Readonly<Record<string, readonly string[]>> = {
    loopback: ['127.0.0.1', '::1'],
    private: ['10.1.2.3', '172.16.0.1', '192.168.255.255'],
    unique_local: ['fc00::1', 'fd12:3456::1'],
    link_local: ['169.254.1.1', 'fe80::1'],
    cgnat: ['100.64.0.1'],
    benchmarking: ['198.18.0.1', '2001:2::1'],
  };
  for (const [name, addresses] of Object.entries(samples))
    for (const address of addresses) {
      t.true(isDialAllowed(address, rulesOf(name)), `${address} in ${name}`);
      t.false(isDialAllowed(address, PUBLIC_ONLY), address);
    }
});

test('a block is allowed up to its borders', (t) => {
  const rules = rulesOf('10.1.0.0/16', 'fd12:3456::/32', '192.168.7.7');
  for (const address of ['10.1.0.0', '10.1.255.255', 'fd12:3456:ffff::1', '192.168.7.7'])
    t.true(isDialAllowed(address, rules), address);
  for (const address of ['10.0.255.255', '10.2.0.0', 'fd12:3457::', '192.168.7.6'])
    t.false(isDialAllowed(address, rules), address);
});

test('metadata addresses are allowed one by one, never by a range', (t) => {
  const ranges = rulesOf('link_local', 'cgnat', 'unique_local', '169.254.0.0/16', '0.0.0.0/0', '::/0');
  for (const address of ['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'])
    t.false(isDialAllowed(address, ranges), address);
  t.true(isDialAllowed('169.254.169.254', rulesOf('169.254.169.254')));
  t.true(isDialAllowed('169.254.169.254', rulesOf('169.254.169.254/32')));
  t.true(isDialAllowed('fd00:ec2::254', rulesOf('fd00:ec2::254/128')));
});

test('an unknown range is refused with a sentence that names it', (t) => {
  const wrong = [
    'lopback',
    'constructor',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::1/129',
    '10.0.0/8',
    '10.0.0.0/-1',
    'fe80::%1/64',
  ];
  for (const name of wrong) {
    const rules = addressRules(['private', name]);
    t.true(isLeft(rules) && rules.left.includes(name), name);
  }
});

test('a CIDR block with host bits is refused, and the fault names its start', (t) => {
  t.deepEqual(addressRules(['10.1.2.3/16']), {
    _tag: 'Left',
    left: '10.1.2.3/16 is not the start of its block: use 10.1.0.0/16',
  });
  t.true(isRight(addressRules(['10.1.2.3/32', 'fd12::/16', '::/0'])));
});
