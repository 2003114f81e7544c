import test from 'ava';
import { failedAttempts } from '../../../render-workers/worker/failed-attempts.ts';

const attempt = (n: number) => ({ attempt_id: `att_${n}`, account_id: 'acc_1', cpu_ms: n });

test('heartbeats show failed attempts for some seconds, up to a limit', (t) => {
  let now = 0;
  const failed = failedAttempts(() => now);
  failed.add(attempt(1));
  now = 10_000;
  failed.add(attempt(2));
  t.deepEqual(failed.shown(), [attempt(1), attempt(2)]);
  now = 15_000;
  t.deepEqual(failed.shown(), [attempt(2)]);
  for (let n = 3; n < 300; n += 1) failed.add(attempt(n));
  t.is(failed.shown().length, 100);
  t.deepEqual(failed.shown().at(-1), attempt(299));
  now = 30_000;
  t.deepEqual(failed.shown(), []);
});
