import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { OUTBOUND, PARTS } from '../../../platform/configuration/parts.ts';
import {
  launcherEnvironment,
  mediaEnvironment,
  outboundEnvironment,
  programEnvironment,
  stackEnvironment,
} from '../../../stack/environment.ts';
import { embeddedServers } from '../../../stack/servers/servers.ts';

test("the project's own programs come first in the PATH, once", (t) => {
  const own = '/a b/node_modules/.bin';
  t.is(launcherEnvironment({ PATH: `/usr/bin:${own}:/bin` }, '/a b').PATH, `${own}:/usr/bin:/bin`);
});

test('a variable that is set to nothing counts as not set', (t) => {
  t.false('MONGODB_URL' in launcherEnvironment({ MONGODB_URL: '', PATH: '/bin' }, '/a'));
});

test('an address in the environment stands for a server that is not started', (t) => {
  t.deepEqual(embeddedServers({}), ['kafka', 'registry', 'store', 'blob']);
  t.deepEqual(embeddedServers({ KAFKA_BROKERS: 'kafka:9092', MONGODB_URL: 'mongodb://db' }), ['registry', 'blob']);
});

test('components get the addresses of the servers, and settings that somebody made win over the embedded ones', (t) => {
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

test('an embedded stack may call this machine at any port, unless somebody says otherwise', (t) => {
  const environment = { ...outboundEnvironment('/data/tls/ca.pem'), ...stackEnvironment({ PATH: '/bin' }, {}) };
  const decoded = decodeConfiguration(environment, { outbound: OUTBOUND });
  t.like(E.toUnion(decoded), {
    outbound: { allowed_ranges: ['loopback'], allowed_ports: null, ca_file: '/data/tls/ca.pem' },
  });
  const own = { OUTBOUND_ALLOWED_RANGES: '10.0.0.0/8', OUTBOUND_ALLOWED_PORTS: '443', OUTBOUND_CA_FILE: '/own.pem' };
  t.like({ ...outboundEnvironment('/data/tls/ca.pem'), ...stackEnvironment(own, {}) }, own);
});

test('media are fetched from public addresses alone, unless somebody opens more to them than to webhooks', (t) => {
  const stack = { ...outboundEnvironment('/data/tls/ca.pem'), OUTBOUND_ALLOWED_RANGES: '10.0.0.0/8' };
  const rules = (env: Readonly<Record<string, string>>) =>
    E.toUnion(decodeConfiguration({ ...stack, ...mediaEnvironment({ ...stack, ...env }) }, { outbound: OUTBOUND }));
  t.like(rules({}), { outbound: { allowed_ranges: [], allowed_ports: [443, 8443] } });
  t.like(rules({ MEDIA_ALLOWED_RANGES: '127.0.0.1', MEDIA_ALLOWED_PORTS: '9443' }), {
    outbound: { allowed_ranges: ['127.0.0.1'], allowed_ports: [9443] },
  });
});

test('servers are given nothing of the shell but what any program needs', (t) => {
  const env = { PATH: '/bin', LANG: 'C', MONGODB_URL: 'mongodb://secret', WEBHOOK_PRIVATE_KEYS: 'x', TOKEN: 'x' };
  t.deepEqual(programEnvironment(env), { PATH: '/bin', LANG: 'C' });
});

test('renderctl is told of every setting that somebody made for webhooks', (t) => {
  const names = PARTS.flatMap(({ variables }) => Object.values(variables).map(({ name }) => name));
  const settings = Object.fromEntries(
    names.filter((name) => /^(WEBHOOK|OUTBOUND)_/.test(name)).map((name) => [name, '1']),
  );
  t.true(Object.keys(settings).length > 8);
  t.like(stackEnvironment(settings, {}), settings);
});
