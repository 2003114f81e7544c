import test from 'ava';
import fc from 'fast-check';
import { MAX_RENDER_ATTEMPTS } from '../../../domain/dispatch/attempt-limits.ts';
import type { DispatchAction, Observation } from '../../../domain/dispatch/dispatch.ts';
import type { Attempt, Render } from '../../../domain/render/render.ts';
import {
  LOADED,
  readyRender,
  renderSeen,
  sampleAttempt,
  workerHeartbeat,
} from '../../../stack/testing/dispatch-samples.ts';
import { dispatcherUnderTest, tags } from '../../helpers/dispatch-scenario.ts';
import { runs } from '../../helpers/runs.ts';

const A = readyRender('rend_a');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const lostAs = (render: Render, ...losses: readonly (readonly [reason: string, worker_id?: string])[]): Render => ({
  ...render,
  status: 'queued',
  attempts: losses.map(([lost, worker_id = 'wkr_1'], i) => sampleAttempt(`att_${i}`, i + 1, { lost, worker_id })),
});
const times = <A>(n: number, one: A): readonly A[] => Array.from({ length: n }, () => one);

test('environment faults are not counted, and pauses grow to 15 minutes', (t) => {
  for (const [losses, pause_s] of [
    [1, 5],
    [2, 15],
    [3, 45],
    [4, 135],
    [5, 405],
    [6, 900],
    [20, 900],
  ] as const) {
    const dispatcher = dispatcherUnderTest();
    const render = lostAs(A, ...times(losses, ['environment'] as const));
    dispatcher.at(0, LOADED, workerHeartbeat('wkr_1', 1));
    const [before, after] = [pause_s * 1_000 - 1, pause_s * 1_000];
    t.deepEqual(dispatcher.at(1, renderSeen(render, 5)), []);
    t.deepEqual(dispatcher.at(before, workerHeartbeat('wkr_1', 2)), []);
    t.deepEqual(tags(dispatcher.at(after + 1, workerHeartbeat('wkr_1', 3))), ['assign'], `${losses} losses`);
  }
});

test('an impeded worker gets no render, and its lost renders continue after recovery', (t) => {
  const dispatcher = dispatcherUnderTest();
  dispatcher.at(0, LOADED, workerHeartbeat('wkr_1', 1, [], { impediments: ['blob_store'] }));
  dispatcher.at(1, renderSeen(lostAs(A, ...times(5, ['environment'] as const)), 5));
  t.deepEqual(dispatcher.at(20_000, workerHeartbeat('wkr_1', 2, [], { impediments: ['blob_store'] })), []);
  t.deepEqual(tags(dispatcher.at(22_000, workerHeartbeat('wkr_1', 3))), ['assign']);
});

test('a worker with a full disk gets no render, even as the only one', (t) => {
  const dispatcher = dispatcherUnderTest();
  const renders = ['a', 'b', 'c'].map((id, i) => renderSeen(readyRender(`rend_${id}`), i));
  const full = workerHeartbeat('wkr_full', 1, [], { slots: 4, impediments: ['disk'] });
  const actions = dispatcher.at(0, LOADED, ...renders, full, workerHeartbeat('wkr_good', 1));
  t.deepEqual(
    actions.map((action) => action.tag === 'assign' && action.worker_id),
    ['wkr_good'],
  );
});

test('a render that a worker cannot read waits for a worker that can', (t) => {
  const dispatcher = dispatcherUnderTest();
  const older = (beat: number) => [
    workerHeartbeat('wkr_1', beat, [], { engines: [1, 2] }),
    workerHeartbeat('wkr_2', beat, [], { engines: [1, 2] }),
  ];
  dispatcher.at(0, LOADED, ...older(1));
  dispatcher.at(1, renderSeen(lostAs(A, ['environment_version']), 5));
  for (let beat = 2; beat < 30; beat += 1) t.deepEqual(dispatcher.at(beat * MINUTE, ...older(beat)), []);
  // The worker that could not read the render is gone and forgotten.
  t.deepEqual(dispatcher.at(31 * MINUTE, workerHeartbeat('wkr_2', 31, [], { engines: [1, 2] })), []);
  const newer = dispatcher.at(31 * MINUTE + 1, workerHeartbeat('wkr_3', 1, [], { engines: [1, 2, 3] }));
  t.like(newer[0], { tag: 'assign', worker_id: 'wkr_3' });
});

test('newer workers are not awaited, and unknown versions are tried after a pause', (t) => {
  const engines = [1, 2];
  const beside = dispatcherUnderTest();
  beside.at(
    0,
    LOADED,
    workerHeartbeat('wkr_1', 1, [], { engines }),
    workerHeartbeat('wkr_2', 1, [], { engines: [1, 2, 3] }),
  );
  t.like(beside.at(1, renderSeen(lostAs(A, ['environment_version']), 5))[0], { tag: 'assign', worker_id: 'wkr_2' });

  const silent = dispatcherUnderTest();
  const both = (beat: number) => [
    workerHeartbeat('wkr_1', beat, [], { engines }),
    workerHeartbeat('wkr_2', beat, [], { engines: [] }),
  ];
  silent.at(0, LOADED, ...both(1));
  t.deepEqual(silent.at(1, renderSeen(lostAs(A, ['environment_version']), 5)), []);
  t.like(silent.at(5_001, ...both(2))[0], { tag: 'assign', worker_id: 'wkr_2' });
});

const failing = (actions: readonly DispatchAction[]) =>
  actions.flatMap((one) => (one.tag === 'fail' ? [one.code] : []));

test('a payload is lost after six misses, on several machines if possible', (t) => {
  const decided = (render: Render, ...workers: readonly string[]) => {
    const dispatcher = dispatcherUnderTest();
    const beats = (beat: number) => workers.map((id) => workerHeartbeat(id, beat));
    dispatcher.at(0, LOADED, ...beats(1));
    return [...dispatcher.at(1, renderSeen(render, 5)), ...dispatcher.at(2_000_000, ...beats(2))];
  };
  const [one, other] = [
    ['environment_payload', 'wkr_1'],
    ['environment_payload', 'wkr_2'],
  ] as const;
  t.deepEqual(failing(decided(lostAs(A, ...times(5, one)), 'wkr_1')), []);
  t.deepEqual(failing(decided(lostAs(A, ...times(6, one)), 'wkr_1')), ['environment']);
  t.like(decided(lostAs(A, ...times(6, one)), 'wkr_1', 'wkr_2')[0], { tag: 'assign', worker_id: 'wkr_2' });
  t.deepEqual(failing(decided(lostAs(A, ...times(5, one), other), 'wkr_1', 'wkr_2')), ['environment']);
  t.deepEqual(failing(decided(lostAs(A, ...times(3, one), ['environment'], ...times(3, other)), 'wkr_1')), []);
});

const losing = (
  dispatcher: ReturnType<typeof dispatcherUnderTest>,
  reasonOf: (n: number) => string,
  step: { readonly ms: number; readonly until: number; readonly also: (now: number) => readonly Observation[] },
): { readonly attempts: number; readonly failed_at: number | null; readonly code: string | null } => {
  const attempts: Attempt[] = [];
  let offset = 5;
  const seenWith = (now_known: readonly Attempt[]): Observation => {
    offset += 1;
    return renderSeen({ ...A, status: 'queued', attempts: [...now_known] }, offset);
  };
  let news: readonly Observation[] = [LOADED, renderSeen(A, offset)];
  for (let now = 0; now <= step.until; now += step.ms) {
    const actions = dispatcher.at(now, ...step.also(now), ...news);
    const open = attempts.at(-1);
    news = [];
    if (open?.lost === null) {
      attempts[attempts.length - 1] = { ...open, lost: reasonOf(open.n) };
      news = [seenWith(attempts)];
    }
    for (const action of actions) {
      if (action.tag === 'fail') return { attempts: attempts.length, failed_at: now, code: action.code };
      if (action.tag !== 'assign') continue;
      attempts.push(sampleAttempt(action.attempt_id, action.n, { worker_id: action.worker_id }));
      news = [seenWith(attempts)];
    }
  }
  return { attempts: attempts.length, failed_at: null, code: null };
};

test('after 24 hours, not earlier, the render fails with an environment fault', (t) => {
  const beats = (now: number) => [{ tag: 'own_heartbeat', sent_at: now } as const, workerHeartbeat('wkr_1', now + 1)];
  const end = losing(dispatcherUnderTest(), () => 'environment', { ms: 4_000, until: 30 * HOUR, also: beats });
  t.is(end.code, 'environment');
  t.true(end.failed_at !== null && end.failed_at >= 24 * HOUR && end.failed_at < 24.1 * HOUR, String(end.failed_at));
  t.true(end.attempts > 60 && end.attempts < MAX_RENDER_ATTEMPTS, String(end.attempts));
});

test('a render that every worker refuses fails, and one without a slot waits', (t) => {
  const limits = { account_cap: 100, environment_timeout_ms: HOUR };
  const own = (now: number): Observation => ({ tag: 'own_heartbeat', sent_at: now });
  const busy = (now: number) => workerHeartbeat('wkr_1', now + 1, [], { slots: 0 });
  const impeded = (now: number) => workerHeartbeat('wkr_1', now + 1, [], { impediments: ['disk'] });
  for (const [beat, codes] of [
    [impeded, ['environment']],
    [busy, []],
  ] as const) {
    const dispatcher = dispatcherUnderTest(limits);
    dispatcher.at(0, LOADED, own(0), beat(0), renderSeen(lostAs(A, ['environment']), 5));
    const actions: DispatchAction[] = [];
    for (let now = 4_000; now <= 2 * HOUR; now += 4_000) {
      const decided = dispatcher.at(now, own(now), beat(now));
      if (now < HOUR) t.deepEqual(decided, []);
      actions.push(...decided.filter(({ tag }) => tag !== 'look_up'));
    }
    t.deepEqual(failing(actions), [...codes]);
  }
});

test('a new dispatcher keeps the elapsed time, and first retries the render', (t) => {
  const limits = { account_cap: 100, environment_timeout_ms: 24 * HOUR };
  const dispatcher = dispatcherUnderTest(limits);
  const lost_ago = new Map([
    ['att_0', 30 * HOUR],
    ['att_1', 29 * HOUR],
  ]);
  const known = { ...renderSeen(lostAs(A, ['environment'], ['environment']), 5), lost_ago };
  const impeded = (now: number) => workerHeartbeat('wkr_1', now + 1, [], { impediments: ['disk'] });
  dispatcher.at(0, LOADED, known, { tag: 'own_heartbeat', sent_at: 0 }, impeded(0));
  const beats = (now: number) => [impeded(now)];
  t.deepEqual(failing(dispatcher.pass(29 * MINUTE, beats)), []);
  t.deepEqual(failing(dispatcher.pass(31 * MINUTE, beats)), ['environment']);

  const rendering = dispatcherUnderTest(limits);
  const lost = lostAs(A, ['environment'], ['environment']);
  const open = { ...lost, attempts: [...lost.attempts, sampleAttempt('att_2', 3)] };
  const loaded = { ...renderSeen(open, 5), lost_ago };
  rendering.at(0, LOADED, loaded);
  const again = { ...lost, attempts: [...lost.attempts, sampleAttempt('att_2', 3, { lost: 'environment' })] };
  rendering.at(1_000, renderSeen(again, 6));
  t.like(rendering.state().renders.get('rend_a')?.wait, { since: -30 * HOUR, lost_at: 1_000 }, 'an attempt was open');

  const well = dispatcherUnderTest(limits);
  t.deepEqual(tags(well.at(0, LOADED, known, workerHeartbeat('wkr_1', 1))), ['assign']);
});

test('no mix of uncounted reasons reaches the limit of the fold', (t) => {
  const reasons = fc.infiniteStream(
    fc.constantFrom('environment', 'environment_version', 'environment_payload', 'drained', 'never_started'),
  );
  fc.assert(
    fc.property(reasons, fc.integer({ min: 1, max: 40 }), (stream, every) => {
      let steps = 0;
      // New workers and newer engine versions end pauses early, so attempts come faster. Without heartbeats of the
      // dispatcher, its silence clock never runs and the 24-hour limit never applies.
      const also = (now: number) => {
        steps += 1;
        return [workerHeartbeat(`wkr_${Math.floor(steps / every)}`, now + 1, [], { engines: [steps] })];
      };
      const reasonOf = (): string => stream.next().value;
      const end = losing(dispatcherUnderTest(), reasonOf, { ms: MINUTE, until: 100 * HOUR, also });
      t.is(end.code, 'environment');
      t.true(end.attempts <= MAX_RENDER_ATTEMPTS);
    }),
    { numRuns: runs(100) },
  );
});
