import test from 'ava';
import { machinesSetAside } from '../../../domain/dispatch/set-aside.ts';
import type { Render } from '../../../domain/render/render.ts';
import {
  LOADED,
  readyRender,
  renderSeen,
  runningAttempt,
  sampleAttempt,
  workerHeartbeat,
} from '../../../stack/testing/dispatch-samples.ts';
import { dispatcherUnderTest, tags } from '../../helpers/dispatch-scenario.ts';

const on = (machine: string, start: number): string => `wkr_${machine.repeat(8)}_0${start}`;
const A = readyRender('rend_a');

const lostBy = (reason: string, ...workers: readonly string[]): Render => ({
  ...A,
  status: 'queued',
  attempts: workers.map((worker_id, i) => sampleAttempt(`att_${i}`, i + 1, { lost: reason, worker_id })),
});

const decidedFor = (render: Render, ...workers: readonly string[]) => {
  const dispatcher = dispatcherUnderTest();
  dispatcher.at(0, LOADED, ...workers.map((id) => workerHeartbeat(id, 1)));
  dispatcher.at(1, renderSeen(render, 5));
  return dispatcher.at(30_000, ...workers.map((id) => workerHeartbeat(id, 2)));
};

for (const reason of ['crashed', 'surroundings'])
  test(`a render fails after three machines, or five losses on one: ${reason}`, (t) => {
    const failedAtOnce = (render: Render, ...workers: readonly string[]): boolean => {
      const dispatcher = dispatcherUnderTest();
      dispatcher.at(0, LOADED, ...workers.map((id) => workerHeartbeat(id, 1)));
      return tags(dispatcher.at(1, renderSeen(render, 5))).includes('fail');
    };
    const a = [1, 2, 3, 4, 5].map((start) => on('a', start));
    t.true(failedAtOnce(lostBy(reason, on('a', 1), on('b', 1), on('c', 1)), on('a', 2), on('d', 1)));
    t.false(failedAtOnce(lostBy(reason, ...a.slice(0, 4)), on('a', 6)));
    t.true(failedAtOnce(lostBy(reason, ...a), on('a', 6)));
    t.false(failedAtOnce(lostBy(reason, ...a), on('a', 6), on('b', 1)));
    t.true(failedAtOnce(lostBy(reason, ...a.slice(0, 4), on('b', 1)), on('a', 6), on('b', 1)));
    t.true(failedAtOnce(lostBy(reason, 'wkr_1', 'wkr_1', 'wkr_2'), 'wkr_3'), 'older ids count as before');
  });

test('after a possible crash a render waits for another machine, if one exists', (t) => {
  t.like(decidedFor(lostBy('crashed', on('a', 1)), on('a', 2), on('b', 1))[0], { worker_id: on('b', 1) });
  t.like(decidedFor(lostBy('crashed', on('a', 1)), on('a', 2))[0], { worker_id: on('a', 2) });

  const dispatcher = dispatcherUnderTest();
  const other = { ...readyRender('rend_b'), status: 'queued' as const };
  const busy = renderSeen({ ...other, attempts: [sampleAttempt('att_b', 1, { worker_id: on('b', 1) })] }, 4);
  const beats = (beat: number) => [
    workerHeartbeat(on('a', 2), beat),
    workerHeartbeat(on('b', 1), beat, [runningAttempt('rend_b', 'att_b')]),
  ];
  dispatcher.at(0, LOADED, busy, ...beats(1));
  dispatcher.at(1, renderSeen(lostBy('crashed', on('a', 1)), 5));
  t.deepEqual(dispatcher.at(20_000, ...beats(2)), []);
  const ended = {
    ...other,
    status: 'complete' as const,
    attempts: [sampleAttempt('att_b', 1, { worker_id: on('b', 1) })],
  };
  t.like(dispatcher.at(20_001, renderSeen(ended, 9, `worker:${on('b', 1)}`))[0], {
    tag: 'assign',
    worker_id: on('b', 1),
  });
});

const world = () => {
  const dispatcher = dispatcherUnderTest();
  let offset = 0;
  let beat = 0;
  const seenNow = (render: Render) => {
    offset += 1;
    return renderSeen(render, offset);
  };
  return {
    dispatcher,
    beats: (now: number, ...ids: readonly string[]) => {
      beat += 1;
      return dispatcher.at(now, ...ids.map((id) => workerHeartbeat(id, beat, [], { slots: 4 })));
    },
    cancelled: (now: number, id: string, worker_id: string) => {
      const failure = { stage: 'rendering', code: 'cancelled', message: 'the render was cancelled', field: null };
      const attempts = [sampleAttempt(`att_${id}`, 1, { worker_id })];
      dispatcher.at(now, seenNow({ ...readyRender(id), status: 'failed', attempts, failure }));
    },
    ends: (now: number, id: string, worker_id: string, lost: string | null) => {
      const render = readyRender(id);
      dispatcher.at(now, seenNow(render));
      const open = [sampleAttempt(`att_${id}`, 1, { worker_id })];
      dispatcher.at(now, seenNow({ ...render, status: 'queued', attempts: open }));
      const attempts = [sampleAttempt(`att_${id}`, 1, { worker_id, lost })];
      dispatcher.at(now, seenNow({ ...render, status: lost === null ? 'complete' : 'queued', attempts }));
    },
    aside: (now: number) => machinesSetAside(dispatcher.state().streaks, 10, now),
  };
};

test('a machine that loses three renders in a row pauses, longer each time', (t) => {
  const { dispatcher, beats, ends, aside } = world();
  dispatcher.at(0, LOADED);
  ends(0, 'rend_1', on('a', 1), 'crashed');
  ends(0, 'rend_2', on('a', 2), 'environment');
  t.deepEqual(aside(0), []);
  ends(0, 'rend_3', on('a', 3), 'surroundings');
  t.deepEqual(aside(0), [{ machine_id: 'aaaaaaaa', losses: 3, left_ms: 10_000 }]);
  t.deepEqual(beats(9_999, on('a', 4)), []);
  t.is(beats(10_001, on('a', 4)).length, 1, 'one attempt at a time, although it has four slots');

  ends(11_000, 'rend_4', on('a', 4), 'environment');
  t.like(aside(11_000)[0], { left_ms: 30_000 });
  ends(12_000, 'rend_5', on('a', 4), 'environment');
  t.like(aside(12_000)[0], { left_ms: 29_000 }, 'the running attempts do not count');
  for (const [now, left_ms] of [
    [100_000, 90_000],
    [200_000, 270_000],
    [500_000, 810_000],
    [1_400_000, 900_000],
    [2_400_000, 900_000],
  ] as const) {
    ends(now, `rend_at_${now}`, on('a', 5), 'crashed');
    t.like(aside(now)[0], { left_ms });
  }
  ends(2_500_000, 'rend_well', on('a', 5), null);
  t.deepEqual(aside(2_500_000), []);
});

test("a cancelled render does not affect its machine's record", (t) => {
  const { dispatcher, ends, cancelled, aside } = world();
  dispatcher.at(0, LOADED);
  ends(0, 'rend_1', on('a', 1), 'crashed');
  ends(0, 'rend_2', on('a', 2), 'crashed');
  cancelled(0, 'rend_3', on('a', 3));
  t.deepEqual(aside(0), []);
  ends(0, 'rend_4', on('a', 3), 'crashed');
  t.like(aside(0)[0], { losses: 3 });
});

test('a success resets a machine; single losses, stops and lost payloads do not count', (t) => {
  const { dispatcher, ends, aside } = world();
  dispatcher.at(0, LOADED);
  ends(0, 'rend_1', on('a', 1), 'crashed');
  ends(0, 'rend_2', on('a', 2), 'crashed');
  ends(0, 'rend_3', on('a', 3), null);
  ends(0, 'rend_4', on('a', 3), 'crashed');
  t.deepEqual(aside(0), []);
  for (const id of ['rend_5', 'rend_6', 'rend_7']) {
    ends(0, id, on('b', 1), 'drained');
    ends(0, id, on('c', 1), 'environment_payload');
  }
  t.deepEqual(aside(0), []);
  for (const start of [1, 2, 3, 4]) ends(0, 'rend_8', on('d', start), 'crashed');
  for (const id of ['rend_9', 'rend_10', 'rend_11']) ends(0, id, on('e', 1), 'crashed');
  t.deepEqual(aside(0), [], 'one crash lost three renders');
});
