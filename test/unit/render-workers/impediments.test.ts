import test from 'ava';
import { createLogger } from '../../../platform/logging/logger.ts';
import { type Clock, SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { watchImpediments } from '../../../render-workers/environment/impediments.ts';

/** A clock that jumps to the next timer; `waits` are the pauses in seconds. */
const leaping = () => {
  let now = 0;
  let due: { readonly at: number; readonly run: () => void } | null = null;
  const clock: Clock = {
    ...SYSTEM_CLOCK,
    monotonic: () => now,
    after: (ms, run) => {
      const timer = { at: now + ms, run };
      due = timer;
      return () => {
        if (due === timer) due = null;
      };
    },
  };
  /**
   * Runs the next timer, and waits for its consequences.
   *
   * @returns the time until then, s; null without a timer
   */
  const leap = async (): Promise<number | null> => {
    const timer = due;
    if (timer === null) return null;
    const waited = timer.at - now;
    now = timer.at;
    due = null;
    timer.run();
    for (let i = 0; i < 5; i += 1) await Promise.resolve();
    return waited / 1_000;
  };
  return {
    clock,
    leap,
    pass: (ms: number) => {
      now += ms;
    },
  };
};

const watched = () => {
  const time = leaping();
  const well = { disk: false, blob_store: false };
  let changes = 0;
  const impediments = watchImpediments(
    { disk: async () => well.disk, blob_store: async () => well.blob_store },
    () => {
      changes += 1;
    },
    createLogger('test', 'silent'),
    time.clock,
  );
  return { ...time, well, impediments, changes: () => changes };
};

test('an impediment lasts until a probe succeeds, with growing pauses to 15 minutes', async (t) => {
  const { impediments, well, leap, changes } = watched();
  impediments.report('disk');
  impediments.report('disk');
  t.deepEqual([impediments.shown(), changes()], [['disk'], 1]);
  const pauses: (number | null)[] = [];
  for (let i = 0; i < 60; i += 1) pauses.push(await leap());
  t.deepEqual(pauses.slice(0, 6), [2, 2, 2, 2, 2, 2.5]);
  t.is(pauses.at(-1), 900);
  t.true(pauses.every((pause, i) => i === 0 || (pause ?? 0) >= (pauses[i - 1] ?? 0)));
  t.deepEqual(impediments.shown(), ['disk']);
  well.disk = true;
  await leap();
  t.deepEqual([impediments.shown(), changes()], [[], 2]);
  t.is(await leap(), null);
});

test('a quick relapse keeps its pauses unless an attempt succeeded between', async (t) => {
  const { impediments, well, leap } = watched();
  impediments.report('disk');
  for (let i = 0; i < 30; i += 1) await leap();
  well.disk = true;
  await leap();
  impediments.report('disk');
  t.true(((await leap()) ?? 0) > 60);
  impediments.reportSuccess();
  impediments.report('disk');
  t.is(await leap(), 2);
});

test('a successful attempt probes the remaining impediments at once', async (t) => {
  const { impediments, well } = watched();
  impediments.report('blob_store');
  well.blob_store = true;
  impediments.reportSuccess();
  for (let i = 0; i < 5; i += 1) await Promise.resolve();
  t.deepEqual(impediments.shown(), []);
});

test('an impediment at the start is shown from the start', async (t) => {
  const { impediments, well, leap } = watched();
  well.blob_store = true;
  await impediments.check('blob_store');
  t.deepEqual(impediments.shown(), []);
  await impediments.check('disk');
  t.deepEqual(impediments.shown(), ['disk']);
  impediments.stop();
  t.is(await leap(), null);
});
