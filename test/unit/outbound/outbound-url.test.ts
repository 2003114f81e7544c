import test from 'ava';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { addressRules } from '../../../platform/outbound/address-ranges.ts';
import { checkUrl } from '../../../platform/outbound/outbound-url.ts';

const rulesOf = (ports: readonly number[] | null, ...names: readonly string[]) => {
  const addresses = addressRules(names);
  if (isLeft(addresses)) throw new Error(addresses.left);
  return { addresses: addresses.right, ports };
};

const RULES = rulesOf([443, 8443]);

const GOOD = [
  'https://example.com',
  'https://example.com/hooks?team=1&x=%20',
  'https://user-name.example.com/@at',
  'https://example.com:8443/a/b',
  'https://example.com:443/',
  'https://EXAMPLE.com/',
  'https://example.com./',
  'https://bücher.example/',
  'https://under_score.example.com/',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  'https://[2606:4700:4700::1111]:8443/a',
  'https://metadata.google.internal/',
  'https://localhost/',
  'https://xn--bcher-kva.example/',
];

/** Part of the message that refuses the URL. */
const BAD: Readonly<Record<string, string>> = {
  '': 'https://',
  'example.com': 'https://',
  'http://example.com/': 'https://',
  'HTTPS://example.com/': 'https://',
  'ftp://example.com/': 'https://',
  'file:///etc/passwd': 'https://',
  'javascript:alert(1)': 'https://',
  '//example.com/': 'https://',
  'https:example.com': 'https://',
  'https:/example.com': 'https://',
  ' https://example.com/': 'https://',
  'https://': 'malformed',
  'https:///example.com/': 'malformed',
  'https://?x': 'malformed',
  'https://:443/': 'malformed',
  'https://exa mple.com/': 'spaces',
  'https://example.com/ ': 'spaces',
  'https://example.com/\r\nX-Injected: 1': 'spaces',
  'https://exam\tple.com/': 'spaces',
  'https://exam\u0000ple.com/': 'spaces',
  'https://exam\u200bple.com/': 'spaces',
  'https://exam\u00adple.com/': 'spaces',
  'https://example.com\\@127.0.0.1/': 'backslash',
  'https:\\\\127.0.0.1/': 'https://',
  'https://user:pass@example.com/': 'user name',
  'https://user@example.com/': 'user name',
  'https://:@example.com/': 'user name',
  'https://@example.com/': 'user name',
  'https://example.com@127.0.0.1/': 'user name',
  'https://8.8.8.8@127.0.0.1:443/': 'user name',
  'https://example.com/#part': 'fragment',
  'https://example.com#@127.0.0.1/': 'fragment',
  'https://example.com:80/': 'port 80',
  'https://example.com:22/': 'port 22',
  'https://example.com:0/': 'port 0',
  'https://example.com:8444/': 'port 8444',
  'https://example.com:65536/': 'malformed',
  'https://example.com:443x/': 'malformed',
  'https://127.0.0.1/': 'public',
  'https://127.0.0.1./': 'public',
  'https://127.1/': 'public',
  'https://127.0.1/': 'public',
  'https://2130706433/': 'public',
  'https://0177.0.0.1/': 'public',
  'https://0177.0.0.01/': 'public',
  'https://017700000001/': 'public',
  'https://0x7f.0.0.1/': 'public',
  'https://0x7f000001/': 'public',
  'https://0x7F.1/': 'public',
  'https://0/': 'public',
  'https://0x/': 'public',
  'https://127.0.0.1../': 'public',
  'https://%31%32%37.0.0.1/': 'public',
  'https://127%2e0%2e0%2e1/': 'public',
  'https://１２７.0.0.1/': 'public',
  'https://127。0。0。1/': 'public',
  'https://①②⑦.0.0.1/': 'public',
  'https://10.0.0.1/': 'public',
  'https://172.16.0.1/': 'public',
  'https://192.168.1.1/': 'public',
  'https://3232235777/': 'public',
  'https://100.64.0.1/': 'public',
  'https://169.254.169.254/latest/meta-data/': 'public',
  'https://2852039166/': 'public',
  'https://0xA9FEA9FE/': 'public',
  'https://0251.0376.0251.0376/': 'public',
  'https://168.63.129.16/': 'public',
  'https://0.0.0.0/': 'public',
  'https://224.0.0.1/': 'public',
  'https://255.255.255.255/': 'public',
  'https://[::1]/': 'public',
  'https://[::]/': 'public',
  'https://[0:0:0:0:0:0:0:1]/': 'public',
  'https://[0000::0001]:8443/': 'public',
  'https://[::ffff:127.0.0.1]/': 'public',
  'https://[::ffff:7f00:1]/': 'public',
  'https://[::127.0.0.1]/': 'public',
  'https://[64:ff9b::127.0.0.1]/': 'public',
  'https://[2002:7f00:1::]/': 'public',
  'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/': 'public',
  'https://[fe80::1]/': 'public',
  'https://[fd00:ec2::254]/': 'public',
  'https://[ff02::1]/': 'public',
  'https://[fe80::1%25eth0]/': 'malformed',
  'https://[fe80::1%eth0]/': 'malformed',
  'https://[::1/': 'malformed',
  'https://256.256.256.256/': 'malformed',
  'https://1.2.3.4.5/': 'malformed',
  'https://127.0.0.1%00.example.com/': 'malformed',
  'https://exa%40mple.com/': 'malformed',
  'https://exam<ple.com/': 'malformed',
  'https://./': 'invalid host name',
  'https://a..b/': 'invalid host name',
  'https://example.com../': 'invalid host name',
  'https://.example.com/': 'invalid host name',
};

for (const text of GOOD)
  test(`${text} is an allowed URL`, (t) => {
    t.true(isRight(checkUrl(text, RULES)));
  });

for (const [text, why] of Object.entries(BAD))
  test(`${JSON.stringify(text)} is refused: ${why}`, (t) => {
    const url = checkUrl(text, RULES);
    t.true(isLeft(url));
    if (isLeft(url)) t.true(url.left.includes(why), url.left);
  });

test('a long URL is refused, and a name with a long part', (t) => {
  const longest = `https://example.com/${'x'.repeat(1_980)}`;
  t.is(longest.length, 2_000);
  t.true(isRight(checkUrl(longest, RULES)));
  t.true(isLeft(checkUrl(`${longest}x`, RULES)));
  t.true(isLeft(checkUrl(`https://${'x'.repeat(64)}.com/`, RULES)));
  t.true(isLeft(checkUrl(`https://${'x.'.repeat(127)}com/`, RULES)));
});

test('the trailing dot of a host is removed, because no certificate has it', (t) => {
  const url = checkUrl('https://Example.COM.:8443/a?b', RULES);
  t.true(isRight(url) && url.right.href === 'https://example.com:8443/a?b');
});

test('an allowed address can have any spelling', (t) => {
  const rules = rulesOf(null, 'loopback');
  for (const text of ['https://127.0.0.1:9/', 'https://2130706433:8080/', 'https://[::1]:65535/'])
    t.true(isRight(checkUrl(text, rules)), text);
  for (const text of ['https://[::ffff:127.0.0.1]/', 'https://10.0.0.1/', 'https://127.0.0.1:0/'])
    t.true(isLeft(checkUrl(text, rules)), text);
});

test('the message names the available ports', (t) => {
  t.deepEqual(checkUrl('https://example.com:444/', RULES), {
    _tag: 'Left',
    left: 'The URL must not have port 444, only 443 or 8443.',
  });
});
