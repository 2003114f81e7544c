import test from 'ava';
import type { FailedAttempt } from '../../../domain/dispatch/heartbeats.ts';
import { createCancelledWorkCounter } from '../../../render-workers/worker/cancelled-work.ts';

const cost = (attempt_id: string): FailedAttempt => ({ attempt_id, account_id: 'acc_1', cpu_ms: 7 });

test('the work of a cancelled attempt counts once, in either order', (t) => {
  const counted: FailedAttempt[] = [];
  const work = createCancelledWorkCounter((attempt) => counted.push(attempt));
  work.cancelled('att_1');
  work.cancelled('att_1');
  work.ended(cost('att_1'));
  work.ended(cost('att_2'));
  t.deepEqual(counted, [cost('att_1')]);
  work.cancelled('att_2');
  work.cancelled('att_2');
  t.deepEqual(counted, [cost('att_1'), cost('att_2')]);
});

test('an attempt whose render was not cancelled costs nothing', (t) => {
  const work = createCancelledWorkCounter(() => t.fail());
  work.ended(cost('att_1'));
  work.cancelled('att_2');
  t.pass();
});
