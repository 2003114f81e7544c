import test from 'ava';
import { launcherEnvironment, stackEnvironment } from '../../../stack/environment.ts';
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
    LOG_LEVEL: 'debug',
    KAFKA_BROKERS: 'kafka:9092',
    MONGODB_URL: 'mongodb://127.0.0.1:1',
    WORKER_DRAIN_S: '5',
  });
});
