import test from 'ava';
import { createReadiness } from '../../../platform/process/readiness.ts';

test('the component is ready if nothing is missing', async (t) => {
  const readiness = createReadiness();
  readiness.set('start', 'starting');
  readiness.set('start', null);
  readiness.check('kafka', async () => null);
  t.deepEqual(await readiness.problems(), {});
});

test('readiness names everything that is missing, including failing probes', async (t) => {
  const readiness = createReadiness();
  readiness.set('partition', 'stopped');
  readiness.check('kafka', async () => 'away');
  readiness.check('mongodb', () => Promise.reject(new Error('refused')));
  t.deepEqual(await readiness.problems(), { partition: 'stopped', kafka: 'away', mongodb: 'refused' });
});

test('a hanging probe does not block readiness', async (t) => {
  const readiness = createReadiness();
  readiness.check('kafka', () => new Promise(() => undefined));
  t.deepEqual(await readiness.problems(), { kafka: 'does not answer within 2500 ms' });
});
