import test from 'ava';
import type { Attempt, Render } from '../../../domain/render/render.ts';
import {
  LOADED,
  readyRender,
  renderSeen,
  runningAttempt,
  sampleAttempt,
  workerHeartbeat,
} from '../../../stack/testing/dispatch-samples.ts';
import { dispatcherUnderTest, tags } from '../../helpers/dispatch-scenario.ts';

const A = readyRender('rend_a');
const withAttempts = (render: Render, ...attempts: readonly Attempt[]): Render => ({
  ...render,
  status: 'queued',
  attempts: [...attempts],
});

test('a ready render is assigned once to a live worker', (t) => {
  const dispatcher = dispatcherUnderTest();
  const actions = dispatcher.at(0, renderSeen(A, 5), LOADED, workerHeartbeat('wkr_1', 1));
  t.like(actions[0], { tag: 'assign', attempt_id: 'att_1', n: 1, worker_id: 'wkr_1', cause: 'evt_5' });
  t.deepEqual(dispatcher.at(500, workerHeartbeat('wkr_1', 2)), []);
});

test('the dispatcher decides nothing before it has read every open render', (t) => {
  const dispatcher = dispatcherUnderTest();
  t.deepEqual(dispatcher.at(0, renderSeen(A, 5), workerHeartbeat('wkr_1', 1)), []);
  t.deepEqual(tags(dispatcher.at(1, LOADED)), ['assign']);
});

test('the dispatcher sends the start command after it reads the assignment from the log', (t) => {
  const dispatcher = dispatcherUnderTest();
  dispatcher.at(0, renderSeen(A, 5), LOADED, workerHeartbeat('wkr_1', 1));
  const won = renderSeen(withAttempts(A, sampleAttempt('att_other', 1, { worker_id: 'wkr_9' })), 6);
  t.like(dispatcher.at(10, won)[0], { tag: 'start', attempt_id: 'att_other', worker_id: 'wkr_9', n: 1 });
  t.deepEqual(dispatcher.at(20, won), []);
});

test('a dispatcher that becomes active repeats the command of every open attempt', (t) => {
  const dispatcher = dispatcherUnderTest();
  const actions = dispatcher.at(0, renderSeen(withAttempts(A, sampleAttempt('att_7', 1)), 9), LOADED);
  t.like(actions[0], { tag: 'start', attempt_id: 'att_7' });
});

test('a slot is free once the final event is read, not before', (t) => {
  const dispatcher = dispatcherUnderTest();
  const B = readyRender('rend_b', { created_at: 2_000 });
  dispatcher.at(0, renderSeen(A, 5), renderSeen(B, 6), LOADED, workerHeartbeat('wkr_1', 1));
  t.deepEqual(tags(dispatcher.at(10, renderSeen(withAttempts(A, sampleAttempt('att_1', 1)), 7))), ['start']);
  t.deepEqual(dispatcher.at(2_000, workerHeartbeat('wkr_1', 2, [runningAttempt('rend_a', 'att_1')])), []);
  t.deepEqual(dispatcher.at(4_000, workerHeartbeat('wkr_1', 3)), []);
  const complete: Render = { ...withAttempts(A, sampleAttempt('att_1', 1)), status: 'complete' };
  t.like(dispatcher.at(4_100, renderSeen(complete, 8, 'worker:wkr_1'))[0], { tag: 'assign', n: 1 });
});

test('a worker that ended an attempt regains its slot despite old heartbeats', (t) => {
  const dispatcher = dispatcherUnderTest();
  const B = readyRender('rend_b', { created_at: 2_000 });
  dispatcher.at(0, renderSeen(withAttempts(A, sampleAttempt('att_1', 1)), 5), renderSeen(B, 6), LOADED);
  dispatcher.at(1, workerHeartbeat('wkr_1', 1, [runningAttempt('rend_a', 'att_1')]));
  const complete: Render = { ...withAttempts(A, sampleAttempt('att_1', 1)), status: 'complete' };
  t.deepEqual(tags(dispatcher.at(2, renderSeen(complete, 8, 'worker:wkr_1'))), ['assign']);
});

test('a draining worker, or one silent for six seconds, gets no render', (t) => {
  const dispatcher = dispatcherUnderTest();
  t.deepEqual(dispatcher.at(0, LOADED, workerHeartbeat('wkr_1', 1, [], { draining: true })), []);
  t.deepEqual(dispatcher.at(1, renderSeen(A, 5)), []);
  const other = dispatcherUnderTest();
  other.at(0, LOADED, workerHeartbeat('wkr_1', 1));
  t.deepEqual(other.at(6_001, renderSeen(A, 5)), []);
  t.deepEqual(tags(other.at(6_002, workerHeartbeat('wkr_1', 2))), ['assign']);
});

test('an attempt missing from heartbeats for 15 s has crashed', (t) => {
  const dispatcher = dispatcherUnderTest();
  dispatcher.at(0, renderSeen(withAttempts(A, sampleAttempt('att_1', 1)), 5), LOADED);
  dispatcher.at(1, { tag: 'command_sent', render_id: 'rend_a', attempt_id: 'att_1' });
  dispatcher.pass(2_000, (now) => [workerHeartbeat('wkr_1', now + 1, [runningAttempt('rend_a', 'att_1')])]);
  t.deepEqual(dispatcher.pass(16_000), []);
  const actions = dispatcher.pass(18_000);
  t.like(actions[0], { tag: 'lose', attempt_id: 'att_1', reason: 'crashed' });
  t.deepEqual(dispatcher.pass(30_000), []);
});

test('an attempt that no heartbeat ever showed counts as never started', (t) => {
  const dispatcher = dispatcherUnderTest();
  dispatcher.at(0, renderSeen(withAttempts(A, sampleAttempt('att_1', 1)), 5), LOADED);
  dispatcher.at(1, { tag: 'command_sent', render_id: 'rend_a', attempt_id: 'att_1' });
  t.like(dispatcher.pass(16_000, (now) => [workerHeartbeat('wkr_1', now + 1)])[0], {
    tag: 'lose',
    reason: 'never_started',
  });
});

test('an attempt without a command in the log does not count as silent', (t) => {
  const dispatcher = dispatcherUnderTest();
  dispatcher.at(0, renderSeen(withAttempts(A, sampleAttempt('att_1', 1)), 5), LOADED);
  t.deepEqual(dispatcher.pass(60_000), []);
});

test('without its own heartbeats the dispatcher loses no attempt, and restarts its clocks', (t) => {
  const dispatcher = dispatcherUnderTest();
  dispatcher.at(0, renderSeen(withAttempts(A, sampleAttempt('att_1', 1)), 5), LOADED);
  dispatcher.at(1, { tag: 'command_sent', render_id: 'rend_a', attempt_id: 'att_1' });
  dispatcher.pass(10_000);
  for (const now of [20_000, 40_000, 69_999]) t.deepEqual(dispatcher.at(now), []);
  dispatcher.skipTo(70_000);
  t.deepEqual(dispatcher.pass(84_000), []);
  t.deepEqual(tags(dispatcher.pass(86_000)), ['lose']);
});

test("the dispatcher's own late heartbeats stop the clock", (t) => {
  const dispatcher = dispatcherUnderTest();
  dispatcher.at(0, renderSeen(withAttempts(A, sampleAttempt('att_1', 1)), 5), LOADED);
  dispatcher.at(1, { tag: 'command_sent', render_id: 'rend_a', attempt_id: 'att_1' });
  for (let now = 2_000; now < 60_000; now += 2_000) {
    t.deepEqual(dispatcher.at(now, { tag: 'own_heartbeat', sent_at: now - 4_500 }), []);
  }
});

test('only counted losses delay the next attempt, by 2 s, then 8 s', (t) => {
  const crashed = sampleAttempt('att_1', 1, { lost: 'crashed', worker_id: 'wkr_x' });
  const again = sampleAttempt('att_2', 2, { lost: 'surroundings', worker_id: 'wkr_x' });
  const live = (now: number) => workerHeartbeat('wkr_1', now + 1);

  const first = dispatcherUnderTest();
  first.at(0, LOADED, renderSeen(withAttempts(A, crashed), 5), live(0));
  t.deepEqual(first.at(1_999, live(1_999)), []);
  t.like(first.at(2_000, live(2_000))[0], { tag: 'assign', n: 2 });

  const second = dispatcherUnderTest();
  second.at(0, LOADED, renderSeen(withAttempts(A, crashed, again), 5), live(0));
  t.deepEqual(second.at(7_999, live(7_999)), []);
  t.like(second.at(8_000, live(8_000))[0], { tag: 'assign', n: 3 });

  const drained = dispatcherUnderTest();
  const handedBack = withAttempts(A, sampleAttempt('att_1', 1, { lost: 'drained', worker_id: 'wkr_x' }));
  t.like(drained.at(0, LOADED, renderSeen(handedBack, 5), live(0))[0], { tag: 'assign', n: 2 });
});

test('three counted losses by older workers fail the render, uncounted ones do not', (t) => {
  const lostAs = (reasons: readonly string[]) =>
    withAttempts(A, ...reasons.map((lost, i) => sampleAttempt(`att_${i}`, i + 1, { lost })));
  const decidedFor = (reasons: readonly string[]) => {
    const dispatcher = dispatcherUnderTest();
    const actions = dispatcher.at(0, LOADED, renderSeen(lostAs(reasons), 5), workerHeartbeat('wkr_1', 1));
    return { actions, after: dispatcher.at(20_000, workerHeartbeat('wkr_1', 2)) };
  };
  t.deepEqual(tags(decidedFor(['crashed', 'surroundings', 'crashed']).actions), ['fail']);
  t.deepEqual(decidedFor(['crashed', 'surroundings', 'crashed']).after, []);
  t.deepEqual(tags(decidedFor(Array.from({ length: 4 }, () => 'drained')).actions), ['assign']);
  t.deepEqual(decidedFor(Array.from({ length: 10 }, () => 'never_started')).actions, []);
  t.deepEqual(tags(decidedFor(Array.from({ length: 95 }, () => 'drained')).actions), ['fail']);
});

test('a worker that runs an ended attempt gets StopAttempt after each heartbeat', (t) => {
  const dispatcher = dispatcherUnderTest();
  const lostAttempt = withAttempts(
    A,
    sampleAttempt('att_1', 1, { lost: 'crashed' }),
    sampleAttempt('att_2', 2, { worker_id: 'wkr_2' }),
  );
  dispatcher.at(0, renderSeen(lostAttempt, 5), LOADED);
  const actions = dispatcher.at(1, workerHeartbeat('wkr_1', 1, [runningAttempt('rend_a', 'att_1')]));
  const of_attempt = { worker_id: 'wkr_1', render_id: 'rend_a', attempt_id: 'att_1' };
  t.deepEqual(actions, [{ tag: 'stop', ...of_attempt, is_cancelled: false }]);
  t.deepEqual(dispatcher.at(2), []);
  t.deepEqual(tags(dispatcher.at(3, workerHeartbeat('wkr_1', 2, [runningAttempt('rend_a', 'att_1')]))), ['stop']);
});

const cancelled = (render: Render): Render => ({
  ...render,
  status: 'failed',
  failure: { stage: 'rendering', code: 'cancelled', message: 'the render was cancelled', field: null },
});

test('a cancelled attempt stops at once and frees its slot when it is gone', (t) => {
  const dispatcher = dispatcherUnderTest();
  const B = readyRender('rend_b', { created_at: 2_000 });
  const running = withAttempts(A, sampleAttempt('att_1', 1));
  dispatcher.at(
    0,
    renderSeen(running, 5),
    renderSeen(B, 6),
    LOADED,
    workerHeartbeat('wkr_1', 1, [runningAttempt('rend_a', 'att_1')]),
  );
  const stop = { tag: 'stop', worker_id: 'wkr_1', render_id: 'rend_a', attempt_id: 'att_1', is_cancelled: true };
  t.deepEqual(dispatcher.at(10, renderSeen(cancelled(running), 7, 'key:key_1')), [stop]);
  t.deepEqual(dispatcher.at(20, renderSeen(cancelled(running), 7, 'key:key_1')), []);
  t.deepEqual(
    dispatcher.at(30, workerHeartbeat('wkr_1', 2, [runningAttempt('rend_a', 'att_1')])),
    [stop],
    'the first command may be lost',
  );
  t.like(dispatcher.at(40, workerHeartbeat('wkr_1', 3))[0], { tag: 'assign', render: { id: 'rend_b' } });
});

test('a render cancelled while waiting or being assigned is not dispatched', (t) => {
  const dispatcher = dispatcherUnderTest();
  const B = readyRender('rend_b', { created_at: 2_000 });
  dispatcher.at(0, renderSeen(A, 5), renderSeen(B, 6), LOADED);
  t.deepEqual(dispatcher.at(1, renderSeen(cancelled(A), 7, 'key:key_1')), []);
  t.like(dispatcher.at(2, workerHeartbeat('wkr_1', 1))[0], { tag: 'assign', render: { id: 'rend_b' } });
  t.deepEqual(dispatcher.at(3, renderSeen(cancelled(B), 8, 'key:key_1')), [], 'the fold ignores the assignment');
  t.is(dispatcher.state().renders.size, 0);
  t.like(dispatcher.at(4, renderSeen(readyRender('rend_c'), 9))[0], { tag: 'assign' }, 'and its slot is free');
});

test('a later dispatcher stops what was cancelled before, with the reason', (t) => {
  const dispatcher = dispatcherUnderTest();
  dispatcher.at(0, LOADED);
  const beat = workerHeartbeat('wkr_1', 1, [runningAttempt('rend_a', 'att_2')]);
  t.deepEqual(dispatcher.at(1, beat), [{ tag: 'look_up', render_id: 'rend_a' }]);
  const attempts = [sampleAttempt('att_1', 1, { lost: 'crashed' }), sampleAttempt('att_2', 2)];
  const stops = dispatcher.at(2, renderSeen(cancelled(withAttempts(A, ...attempts)), 9));
  t.deepEqual(
    stops.map((stop) => stop.tag === 'stop' && [stop.attempt_id, stop.is_cancelled]),
    [['att_2', true]],
  );
});

test('a worker with unknown attempts gets no command until they are looked up', (t) => {
  const dispatcher = dispatcherUnderTest();
  dispatcher.at(0, LOADED);
  const beat = workerHeartbeat('wkr_1', 1, [runningAttempt('rend_a', 'att_1')]);
  t.deepEqual(dispatcher.at(1, beat), [{ tag: 'look_up', render_id: 'rend_a' }]);
  const over: Render = { ...withAttempts(A, sampleAttempt('att_1', 1)), status: 'failed' };
  dispatcher.at(2, renderSeen(over, 9));
  t.deepEqual(tags(dispatcher.at(3, workerHeartbeat('wkr_1', 2, [runningAttempt('rend_a', 'att_1')]))), ['stop']);
});

test('an assignment without read-back for 30 s is looked up, and forgotten if lost', (t) => {
  const dispatcher = dispatcherUnderTest();
  dispatcher.at(0, renderSeen(A, 5), LOADED, workerHeartbeat('wkr_1', 1));
  t.deepEqual(dispatcher.at(29_999), []);
  t.deepEqual(dispatcher.at(30_000), [{ tag: 'look_up', render_id: 'rend_a' }]);
  dispatcher.at(30_001, renderSeen({ ...A, status: 'complete' }, 9));
  t.is(dispatcher.state().renders.size, 0);
});

test('an assignment missing for a minute is repeated, except during an outage', (t) => {
  const dispatcher = dispatcherUnderTest();
  const beats = (now: number) => [workerHeartbeat('wkr_1', now + 1)];
  dispatcher.at(0, renderSeen(A, 5), LOADED, workerHeartbeat('wkr_1', 1));
  t.deepEqual(tags(dispatcher.at(30_000)), ['look_up']);
  t.deepEqual(tags(dispatcher.at(60_000)), ['look_up'], "the dispatcher's own heartbeats do not come back");
  dispatcher.skipTo(62_000);
  t.like(dispatcher.pass(92_000, beats), [{ tag: 'look_up' }, { tag: 'assign', attempt_id: 'att_2', n: 1 }]);
  // The record of the first assignment arrives late, and the fold has accepted it.
  t.like(dispatcher.at(93_000, renderSeen(withAttempts(A, sampleAttempt('att_1', 1)), 6))[0], {
    tag: 'start',
    attempt_id: 'att_1',
  });
  t.deepEqual(
    tags(dispatcher.pass(100_000, (now) => [workerHeartbeat('wkr_1', now + 1, [runningAttempt('rend_a', 'att_1')])])),
    [],
  );
});

test('a failed append of an assignment frees its slot, and repeats after 5 s', (t) => {
  const dispatcher = dispatcherUnderTest();
  const B = readyRender('rend_b', { created_at: 2_000 });
  dispatcher.at(0, renderSeen(A, 5), renderSeen(B, 6), LOADED, workerHeartbeat('wkr_1', 1));
  const refused = { tag: 'not_assigned', render_id: 'rend_a', attempt_id: 'att_1' } as const;
  t.like(dispatcher.at(100, refused), [{ tag: 'assign', attempt_id: 'att_2', render: { id: 'rend_b' } }]);
  t.deepEqual(dispatcher.at(200, refused), [], 'the repeat is handled once');
  t.deepEqual(tags(dispatcher.at(5_000, workerHeartbeat('wkr_1', 2, [], { slots: 2 }))), []);
  t.like(dispatcher.at(5_100), [{ tag: 'assign', attempt_id: 'att_3', n: 1, render: { id: 'rend_a' } }]);
});

test('renders that no worker can take do not block others', (t) => {
  const dispatcher = dispatcherUnderTest();
  const unread = Array.from({ length: 500 }, (_, i) => {
    const lost = sampleAttempt(`att_old_${i}`, 1, { lost: 'environment_version', worker_id: 'wkr_1' });
    return renderSeen(withAttempts(readyRender(`rend_${String(i).padStart(3, '0')}`), lost), i);
  });
  const last = renderSeen(withAttempts(readyRender('rend_z'), sampleAttempt('att_z', 1, { lost: 'environment' })), 900);
  dispatcher.at(0, workerHeartbeat('wkr_1', 1));
  dispatcher.at(1, ...unread, last, LOADED);
  const given = dispatcher
    .pass(100_000, (now) => [workerHeartbeat('wkr_1', now + 2)])
    .filter(({ tag }) => tag === 'assign');
  t.like(given, [{ render: { id: 'rend_z' } }]);
});

test('outdated records change nothing', (t) => {
  const dispatcher = dispatcherUnderTest();
  dispatcher.at(0, renderSeen(withAttempts(A, sampleAttempt('att_1', 1)), 9), LOADED, workerHeartbeat('wkr_1', 1));
  t.deepEqual(dispatcher.at(1, renderSeen(A, 5)), []);
  t.is(dispatcher.state().renders.get('rend_a')?.render.attempts.length, 1);
});

test('a lost render goes to another worker if there is one', (t) => {
  const dispatcher = dispatcherUnderTest();
  const lostBefore = withAttempts(A, sampleAttempt('att_1', 1, { lost: 'surroundings', worker_id: 'wkr_1' }));
  dispatcher.at(0, renderSeen(lostBefore, 5), LOADED);
  const both = [workerHeartbeat('wkr_1', 1, [], { slots: 4 }), workerHeartbeat('wkr_2', 1, [])];
  t.like(dispatcher.at(5_000, ...both)[0], { tag: 'assign', worker_id: 'wkr_2' });
});
