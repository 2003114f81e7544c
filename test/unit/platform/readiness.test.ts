import test from 'ava';
import { createReadiness } from '../../../platform/process/readiness.ts';

test('ready when nothing is missing', async (t) => {
  const readiness = createReadiness();
  readiness.set('start', 'starting');
  readiness.set('start', null);
  readiness.check('kafka', async () => null);
  t.deepEqual(await readiness.problems(), {});
});

test('says everything that is missing; a probe that fails is missing too', async (t) => {
  const readiness = createReadiness();
  readiness.set('partition', 'stopped');
  readiness.check('kafka', async () => 'away');
  readiness.check('mongodb', () => Promise.reject(new Error('refused')));
  t.deepEqual(await readiness.problems(), { partition: 'stopped', kafka: 'away', mongodb: 'refused' });
});

test('a probe that hangs does not hang readiness', async (t) => {
  const readiness = createReadiness();
  readiness.check('kafka', () => new Promise(() => undefined));
  t.deepEqual(await readiness.problems(), { kafka: 'does not answer within 2500 ms' });
});
