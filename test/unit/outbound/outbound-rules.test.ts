import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { OUTBOUND } from '../../../platform/configuration/parts.ts';
import { outboundRules } from '../../../platform/outbound/outbound-rules.ts';
import { createAuthority } from '../../../stack/tls/certificate.ts';

const rulesOf = (environment: Readonly<Record<string, string>>) => {
  const decoded = decodeConfiguration(environment, { outbound: OUTBOUND });
  if (isLeft(decoded)) throw new Error(decoded.left.join());
  return outboundRules(decoded.right.outbound);
};

const faultOf = (environment: Readonly<Record<string, string>>): string => {
  const rules = rulesOf(environment);
  return isLeft(rules) ? rules.left : 'none';
};

test('by default only public addresses at the usual ports are allowed', (t) => {
  const rules = rulesOf({});
  if (isLeft(rules)) return t.fail(rules.left);
  t.deepEqual(rules.right.addresses, { blocks: [] });
  t.deepEqual(rules.right.ports, [443, 8443]);
  t.is(rules.right.dns_servers, null);
});

test('ranges, ports and name servers come from the settings', (t) => {
  const rules = rulesOf({
    OUTBOUND_ALLOWED_RANGES: 'loopback, 10.1.0.0/16',
    OUTBOUND_ALLOWED_PORTS: 'any',
    OUTBOUND_DNS_SERVERS: '10.0.0.2,10.0.0.3:5353,[::1]:53',
  });
  if (isLeft(rules)) return t.fail(rules.left);
  t.is(rules.right.addresses.blocks.length, 3);
  t.is(rules.right.ports, null);
  t.deepEqual(rules.right.dns_servers, ['10.0.0.2', '10.0.0.3:5353', '[::1]:53']);
});

test('an error names the invalid variable', (t) => {
  t.is(
    faultOf({ OUTBOUND_ALLOWED_RANGES: 'loopback,privat' }),
    'OUTBOUND_ALLOWED_RANGES: privat is neither a block of addresses like 10.1.0.0/16 nor one of loopback, private, unique_local, link_local, cgnat, benchmarking',
  );
  t.regex(faultOf({ OUTBOUND_DNS_SERVERS: 'ns1.example.com' }), /^OUTBOUND_DNS_SERVERS must be IP addresses.*ns1/);
  t.regex(
    faultOf({ OUTBOUND_CA_FILE: '/nowhere/ca.pem' }),
    /^OUTBOUND_CA_FILE \/nowhere\/ca\.pem cannot be used: ENOENT/,
  );
});

test('a file of certificates is read whole or refused', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'outbound-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'ca.pem');
  const { cert } = await createAuthority();
  const other = await createAuthority();

  writeFileSync(path, `# ours\n${cert}\n${other.cert}`);
  t.true(isRight(rulesOf({ OUTBOUND_CA_FILE: path })));

  writeFileSync(path, 'no certificate');
  t.is(faultOf({ OUTBOUND_CA_FILE: path }), `OUTBOUND_CA_FILE ${path} has no PEM certificate`);

  const [first = '', second = '', third = '', ...rest] = cert.split('\n');
  writeFileSync(path, [first, third, second, ...rest].join('\n'));
  t.regex(faultOf({ OUTBOUND_CA_FILE: path }), /^OUTBOUND_CA_FILE .* cannot be used: /);

  writeFileSync(path, `${cert}\n${other.cert.slice(0, -80)}`);
  t.regex(faultOf({ OUTBOUND_CA_FILE: path }), /^OUTBOUND_CA_FILE /);
});
