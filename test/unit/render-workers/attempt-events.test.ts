import test from 'ava';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { createMetaFactory } from '../../../render-workers/log/record-author.ts';
import { faultOfEngine, TransientFault } from '../../../render-workers/preparer/preparation-fault.ts';
import { attemptEvents } from '../../../render-workers/worker/attempt-events.ts';
import { metaBy } from '../../helpers/render-events.ts';

test('an error of a composition names its field once, before the reason', (t) => {
  const field = 'layers[2].font_family';
  const fault = { tag: 'composition', code: 'font_unknown', message: 'there is no font "X"', field } as const;
  t.deepEqual(faultOfEngine(fault), { code: 'font_unknown', message: `${field}: there is no font "X"`, field });
  const named = { ...fault, message: `${field}: there is no font "X"` };
  t.is(faultOfEngine(named).message, named.message);
});

test('an infrastructure fault is hidden from the user', (t) => {
  t.throws(() => faultOfEngine({ tag: 'infrastructure', message: 'ffprobe is missing' }), {
    instanceOf: TransientFault,
  });
});

test('events of a worker are caused by the assignment and continue its request', (t) => {
  const events = attemptEvents(createMetaFactory('worker', 'wkr_1', SYSTEM_CLOCK), {
    type: 'StartAttempt',
    meta: { ...metaBy('dispatcher:d'), causation_id: 'evt_assigned', correlation_id: 'req_9' },
    worker_id: 'wkr_1',
    render_id: 'rend_1',
    attempt_id: 'att_1',
    n: 1,
    account_id: 'acc_1',
    project_id: 'proj_1',
    composition: { path: 'p', sha256: 'h' },
    frames: 30,
  });
  t.like(events.lost('drained', null), {
    type: 'AttemptLost',
    render_id: 'rend_1',
    attempt_id: 'att_1',
    reason: 'drained',
    meta: { actor: 'worker:wkr_1', causation_id: 'evt_assigned', correlation_id: 'req_9' },
  });
  const failed = events.failed({ code: 'x', message: 'is wrong', field: 'layers[0].text' });
  t.is(failed.message, 'layers[0].text: is wrong');
});
