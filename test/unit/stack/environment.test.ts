import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { OUTBOUND, PARTS } from '../../../platform/configuration/parts.ts';
import {
  launcherEnvironment,
  mediaEnvironment,
  outboundEnvironment,
  programEnvironment,
  settingFaults,
  stackEnvironment,
} from '../../../stack/environment.ts';
import { startStack } from '../../../stack/launcher.ts';
import { embeddedServers } from '../../../stack/servers/servers.ts';

test("the project's own programs come first in the PATH, once", (t) => {
  const own = '/a b/node_modules/.bin';
  t.is(launcherEnvironment({ PATH: `/usr/bin:${own}:/bin` }, '/a b').PATH, `${own}:/usr/bin:/bin`);
});

test('an empty variable counts as unset', (t) => {
  t.false('MONGODB_URL' in launcherEnvironment({ MONGODB_URL: '', PATH: '/bin' }, '/a'));
});

test('an address in the environment replaces a started server', (t) => {
  t.deepEqual(embeddedServers({}), ['kafka', 'registry', 'store', 'blob']);
  t.deepEqual(embeddedServers({ KAFKA_BROKERS: 'kafka:9092', MONGODB_URL: 'mongodb://db' }), ['registry', 'blob']);
});

test('components get the servers’ addresses, and the environment overrides embedded settings', (t) => {
  const env = stackEnvironment(
    { RENDER_TYPE: 'cloud', LOG_LEVEL: 'debug', SECRET_OF_THE_SHELL: 'x', KAFKA_BROKERS: 'kafka:9092' },
    { MONGODB_URL: 'mongodb://127.0.0.1:1' },
  );
  t.deepEqual(env, {
    RENDER_TYPE: 'cloud',
    HOST: '127.0.0.1',
    HEALTH_HOST: '127.0.0.1',
    LOG_LEVEL: 'debug',
    KAFKA_BROKERS: 'kafka:9092',
    MONGODB_URL: 'mongodb://127.0.0.1:1',
    WORKER_DRAIN_S: '5',
  });
});

test('invalid settings are reported before a start, except those the launcher sets', async (t) => {
  t.deepEqual(settingFaults({ SANDBOX: 'required', LOG_LEVEL: 'debug', PORT: 'none', OF_THE_SHELL: 'x' }), []);
  const wrong = { SANDBOX: 'requird', RATE_LIMIT_PER_S: 'many', MEDIA_ALLOWED_PORTS: 'all' };
  t.deepEqual([...settingFaults(wrong)].sort(), [
    'MEDIA_ALLOWED_PORTS must be `any`, or one port, or several separated by commas, not "all"',
    'RATE_LIMIT_PER_S must be a whole number from 1 to 1000000, not "many"',
    'SANDBOX must be one of required, preferred, off, not "requird"',
  ]);
  const dataDir = join(tmpdir(), `a stack that never was ${process.pid}`);
  const message = /^(?=.*SANDBOX must be one of)(?=.*RATE_LIMIT_PER_S must be)/s;
  // Without the check the start would end later, by the signal.
  await t.throwsAsync(startStack({ dataDir, env: wrong, signal: AbortSignal.abort() }), { message });
  t.false(existsSync(dataDir));
});

test('an embedded stack can call any local port unless the environment forbids it', (t) => {
  const environment = { ...outboundEnvironment('/data/tls/ca.pem'), ...stackEnvironment({ PATH: '/bin' }, {}) };
  const decoded = decodeConfiguration(environment, { outbound: OUTBOUND });
  t.like(E.toUnion(decoded), {
    outbound: { allowed_ranges: ['loopback'], allowed_ports: null, ca_file: '/data/tls/ca.pem' },
  });
  const own = { OUTBOUND_ALLOWED_RANGES: '10.0.0.0/8', OUTBOUND_ALLOWED_PORTS: '443', OUTBOUND_CA_FILE: '/own.pem' };
  t.like({ ...outboundEnvironment('/data/tls/ca.pem'), ...stackEnvironment(own, {}) }, own);
});

test('media come only from public addresses unless the environment allows more', (t) => {
  const stack = { ...outboundEnvironment('/data/tls/ca.pem'), OUTBOUND_ALLOWED_RANGES: '10.0.0.0/8' };
  const rules = (env: Readonly<Record<string, string>>) =>
    E.toUnion(decodeConfiguration({ ...stack, ...mediaEnvironment({ ...stack, ...env }) }, { outbound: OUTBOUND }));
  t.like(rules({}), { outbound: { allowed_ranges: [], allowed_ports: [443, 8443] } });
  t.like(rules({ MEDIA_ALLOWED_RANGES: '127.0.0.1', MEDIA_ALLOWED_PORTS: '9443' }), {
    outbound: { allowed_ranges: ['127.0.0.1'], allowed_ports: [9443] },
  });
});

test('servers get only basic variables of the shell', (t) => {
  const env = { PATH: '/bin', LANG: 'C', MONGODB_URL: 'mongodb://secret', WEBHOOK_PRIVATE_KEYS: 'x', TOKEN: 'x' };
  t.deepEqual(programEnvironment(env), { PATH: '/bin', LANG: 'C' });
});

test('renderctl gets every setting of the environment for webhooks', (t) => {
  const names = PARTS.flatMap(({ variables }) => Object.values(variables).map(({ name }) => name));
  const settings = Object.fromEntries(
    names.filter((name) => /^(WEBHOOK|OUTBOUND)_/.test(name)).map((name) => [name, '1']),
  );
  t.true(Object.keys(settings).length > 8);
  t.like(stackEnvironment(settings, {}), settings);
});
