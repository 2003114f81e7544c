import test from 'ava';
import type { WorkerBeat } from '../../../domain/dispatch/heartbeats.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { progressOf } from '../../../projectors/live-progress/live-progress.ts';
import { reachedWatermarks, startWatermarkReports, type Watermark } from '../../../projectors/render/watermark.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const beat = (frames_done: number, render_id = 'rend_1'): WorkerBeat => ({
  type: 'WorkerBeat',
  meta: metaBy('worker:wkr_1'),
  worker_id: 'wkr_1',
  beat: 1,
  slots: 1,
  draining: false,
  attempts: [{ render_id, attempt_id: 'att_1', stage: 'rendering', frames_done, frames_total: 100 }],
  failed: [],
  engines: [],
  impediments: [],
  wanted: [],
  helps: [],
});

test("the newest of several heartbeats gives each render's progress", (t) => {
  const beats = [beat(10), beat(20), beat(5, 'rend_2')].map((each, i) => ({ beat: each, at: 1_000 + i }));
  t.deepEqual(
    progressOf(beats).map(({ _id, frames_done, at }) => [_id, frames_done, at.getTime()]),
    [
      ['rend_1', 20, 1_001],
      ['rend_2', 5, 1_002],
    ],
  );
});

test('idle workers cause no write', (t) => {
  t.deepEqual(progressOf([{ beat: { ...beat(1), attempts: [] }, at: 1 }]), []);
});

const NONE: ReadonlyMap<number, Watermark> = new Map();

test('a fully folded partition is caught up; lagging or unassigned ones are not', (t) => {
  const bounds = [0, 1, 2].map((partition) => ({ partition, end: 10 }));
  const held = new Map([
    [0, 10],
    [1, 9],
  ]);
  const { caught_up, marks } = reachedWatermarks(NONE, held, bounds, 500);
  t.deepEqual([...caught_up], [[0, 500]]);
  t.deepEqual(marks.get(1), { at: 500, end: 10 });
  t.false(marks.has(2));
});

test('a partition that is never idle still gets watermarks', (t) => {
  const first = reachedWatermarks(NONE, new Map([[0, 9]]), [{ partition: 0, end: 10 }], 500);
  const second = reachedWatermarks(first.marks, new Map([[0, 9]]), [{ partition: 0, end: 20 }], 1_500);
  t.is(second.caught_up.size, 0);
  const third = reachedWatermarks(second.marks, new Map([[0, 15]]), [{ partition: 0, end: 30 }], 2_500);
  t.deepEqual([...third.caught_up], [[0, 500]]);
  t.deepEqual(third.marks.get(0), { at: 2_500, end: 30 });
});

test("watermarks use the store's clock, even if the projector's is wrong", async (t) => {
  const month_ms = 31 * 86_400_000;
  for (const wrong_by of [-month_ms, month_ms]) {
    const clock = virtualClock();
    const storeTime = () => 5_000_000_000 + clock.monotonic();
    let asked_at = 0;
    const reported: (readonly (readonly [number, number])[])[] = [];
    const log = Object.assign(Object.create(null), {
      partitions: async () => 1,
      reachableBounds: async () => {
        asked_at = storeTime();
        return [{ partition: 0, end: 10 }];
      },
    });
    const { stop } = startWatermarkReports(
      log,
      'render-events',
      {
        createMissing: async () => undefined,
        now: async () => storeTime(),
        report: async (times) => void reported.push([...times]),
      },
      () => new Map([[0, 10]]),
      createLogger('test', 'fatal'),
      { ...clock, now: () => storeTime() + wrong_by },
    );
    await clock.advance(1_500);
    await stop();
    t.true(reported.length > 0);
    const [partition, at = 0] = reported.at(-1)?.[0] ?? [];
    t.is(partition, 0);
    t.true(at <= asked_at && at > asked_at - 1_000, 'the store is read first, then the log');
  }
});

test('lost watermarks of all partitions are written again', async (t) => {
  const clock = virtualClock();
  const stored = new Map<number, number>();
  const log = {
    partitions: async () => 2,
    reachableBounds: async () => [0, 1].map((partition) => ({ partition, start: 0, end: 10 })),
  };
  const caught_up = {
    createMissing: async (partitions: readonly number[]) => {
      for (const partition of partitions) if (!stored.has(partition)) stored.set(partition, 0);
    },
    now: async () => (stored.size === 0 ? null : 1_000 + clock.monotonic()),
    report: async (times: ReadonlyMap<number, number>) => {
      for (const [partition, at] of times) stored.set(partition, at);
    },
  };
  const held = () => new Map([[0, 10]]);
  const { stop } = startWatermarkReports(log, 'render-events', caught_up, held, createLogger('test', 'fatal'), clock);
  await clock.advance(1_500);
  t.is(stored.size, 2);
  stored.clear();
  await clock.advance(3_000);
  await stop();
  t.is(stored.size, 2);
  t.true((stored.get(0) ?? 0) > 0);
});
