import test from 'ava';
import { ulid } from 'ulid';
import { hasMachineId, machineOf } from '../../../domain/dispatch/machine.ts';
import { workerId } from '../../../render-workers/worker/worker-id.ts';

test('worker ids differ at each start and name their machine', (t) => {
  const [first, second] = [workerId('node-7', ulid()), workerId('node-7', ulid())];
  t.not(first, second);
  t.regex(first, /^wkr_[0-9a-f]{8}_[0-9A-Z]{26}$/);
  t.is(machineOf(first), machineOf(second));
  t.not(machineOf(first), machineOf(workerId('node-8', ulid())));
  const older = `wkr_${ulid()}`;
  t.deepEqual([hasMachineId(first), hasMachineId(older), machineOf(older)], [true, false, older]);
});
