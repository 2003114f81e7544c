import test from 'ava';
import { COMPONENTS, componentProcess, instancesOf, stopWaves } from '../../../stack/components.ts';
import { markOf, nextBackoff } from '../../../stack/process/supervised.ts';
import { SECRET_NAMES } from '../../../stack/secrets.ts';

test('every component is one process; of workers there may be several', (t) => {
  t.is(instancesOf(undefined, 1).length, COMPONENTS.length);
  t.deepEqual(
    instancesOf(['worker'], 3).map((instance) => instance.name),
    ['worker', 'worker-2', 'worker-3'],
  );
});

test('a name that is no component is a mistake', (t) => {
  t.throws(() => instancesOf(['gatway'], 1), { message: 'No such component: gatway' });
});

test('a stop begins with the gateway and ends with the projectors, and forgets nobody', (t) => {
  const instances = instancesOf(undefined, 2);
  const waves = stopWaves(instances);
  t.deepEqual(waves[0], ['gateway']);
  t.deepEqual(waves.at(-1), ['projectors']);
  t.deepEqual([...waves.flat()].sort(), instances.map((instance) => instance.name).sort());
});

test('each component has the secrets that it needs, and no other', (t) => {
  const env = { PATH: '/bin', ...Object.fromEntries(SECRET_NAMES.map((name) => [name, 'x'])) };
  const given = instancesOf(undefined, 1).map((instance) => {
    const { env: own } = componentProcess({ instance, root: '/', health_url: '', env, endTransactions: undefined });
    t.is(own.PATH, '/bin');
    return [instance.name, SECRET_NAMES.filter((name) => name in own)] as const;
  });
  t.deepEqual(Object.fromEntries(given.filter(([, secrets]) => secrets.length > 0)), {
    'command-api': ['IDEMPOTENCY_SECRET'],
    'query-api': ['CURSOR_SECRET'],
    'webhook-relay': ['WEBHOOK_SECRETS_KEY'],
  });
});

test('back-off: 1 s, doubling to 30 s, and forgotten after a minute of life', (t) => {
  const waits = [0, 1, 2, 3, 4, 5, 6].reduce<number[]>((all) => [...all, nextBackoff(all.at(-1) ?? 0, 100)], []);
  t.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  t.is(nextBackoff(30_000, 60_000), 1_000);
});

test('the mark of a process does not begin like that of another', (t) => {
  const stack = { data: 'd', run: 'r' };
  t.false(markOf(stack, 'worker-2').startsWith(markOf(stack, 'worker')));
});
