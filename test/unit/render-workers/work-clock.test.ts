import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { workClock } from '../../../render-workers/metering/work-clock.ts';
import { workMeter } from '../../../render-workers/metering/work-meter.ts';

/** Resolves when told to. */
const gate = () => Promise.withResolvers<void>();

test('only time that is worked counts: a clock stands still while all that runs waits', async (t) => {
  const clock = workClock(50, SYSTEM_CLOCK);
  await clock.work(() => clock.wait(() => pause(150)));
  t.false(clock.signal.aborted);
  await clock.work(() => clock.wait(() => clock.work(() => pause(100))));
  t.true(clock.signal.aborted);
});

test('what is used up stays used up, and nothing counts between', async (t) => {
  const clock = workClock(100, SYSTEM_CLOCK);
  await clock.work(() => pause(60));
  await pause(100);
  t.false(clock.signal.aborted);
  await clock.work(() => pause(60));
  t.true(clock.signal.aborted);
});

test('side by side the clock runs as one, and for as long as any works', async (t) => {
  const clock = workClock(100, SYSTEM_CLOCK);
  const [waits, works] = [gate(), gate()];
  const both = Promise.all([
    clock.work(() => clock.wait(() => waits.promise)),
    clock.work(() => works.promise),
    clock.work(() => works.promise),
  ]);
  await pause(60);
  t.false(clock.signal.aborted);
  await pause(60);
  t.true(clock.signal.aborted);
  waits.resolve();
  works.resolve();
  await both;
});

test('a meter adds what programs took and what was fetched', (t) => {
  const meter = workMeter();
  meter.ran(7);
  meter.ran(5);
  meter.fetched(3);
  meter.fetched(4);
  t.deepEqual(meter.cost(), { cpu_ms: 12, fetched_bytes: 7 });
});
