import test from 'ava';
import { workClock } from '../../../render-workers/metering/work-clock.ts';
import { workMeter } from '../../../render-workers/metering/work-meter.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const gate = () => Promise.withResolvers<void>();

test('only working time counts, and the clock stops while everything waits', async (t) => {
  const time = virtualClock();
  const clock = workClock(50, time);
  await clock.work(() => clock.wait(() => time.advance(150)));
  t.false(clock.signal.aborted);
  await clock.work(() => clock.wait(() => clock.work(() => time.advance(100))));
  t.true(clock.signal.aborted);
});

test('used time stays counted, and gaps do not count', async (t) => {
  const time = virtualClock();
  const clock = workClock(100, time);
  await clock.work(() => time.advance(60));
  await time.advance(100);
  t.false(clock.signal.aborted);
  await clock.work(() => time.advance(60));
  t.true(clock.signal.aborted);
});

test('parallel work counts once, while any of it runs', async (t) => {
  const time = virtualClock();
  const clock = workClock(100, time);
  const [waits, works] = [gate(), gate()];
  const both = Promise.all([
    clock.work(() => clock.wait(() => waits.promise)),
    clock.work(() => works.promise),
    clock.work(() => works.promise),
  ]);
  await time.advance(60);
  t.false(clock.signal.aborted);
  await time.advance(60);
  t.true(clock.signal.aborted);
  waits.resolve();
  works.resolve();
  await both;
});

test('a meter adds the time of programs and the fetched bytes', (t) => {
  const meter = workMeter();
  meter.addCpu(7);
  meter.addCpu(5);
  meter.addFetchedBytes(3);
  meter.addFetchedBytes(4);
  t.deepEqual(meter.cost(), { cpu_ms: 12, fetched_bytes: 7 });
});
