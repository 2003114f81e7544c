import test from 'ava';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { type DiskReservation, openDiskBudget } from '../../../render-workers/preparer/disk-budget.ts';
import { pollUntil } from '../../../stack/testing/until.ts';

const NEVER = new AbortController().signal;

/** A disk of this size; `begun` has the names of granted reservations in order. */
const bench = (most_bytes: number, disk = { free: 1_000 }) => {
  const budget = openDiskBudget({
    ...{ most_bytes, least_free_bytes: 100, look_every_ms: 5 },
    freeBytes: async () => disk.free,
    logger: createLogger('test', 'silent'),
    clock: SYSTEM_CLOCK,
  });
  const begun: string[] = [];
  const rooms = new Map<string, DiskReservation>();
  const reserve = (account_id: string, name: string, bytes: number, signal = NEVER): void => {
    budget.reserve(account_id, bytes, signal).then(
      (room) => {
        begun.push(name);
        rooms.set(name, room);
      },
      () => undefined,
    );
  };
  return {
    ...{ budget, begun, disk, reserve },
    settled: () => new Promise(setImmediate),
    release: (name: string) => rooms.get(name)?.release(),
    shrink: (name: string, bytes: number) => rooms.get(name)?.shrink(bytes),
  };
};

test('reservations never exceed the disk, and waiters continue when space is released', async (t) => {
  const { budget, begun, reserve, settled, release, shrink } = bench(10);
  for (const name of ['a', 'b', 'c']) reserve(`acc_${name}`, name, 5);
  await settled();
  t.deepEqual([begun, budget.reserved(), budget.waiting()], [['a', 'b'], 10, 1]);
  shrink('a', 1);
  await settled();
  t.deepEqual([begun, budget.reserved()], [['a', 'b'], 6], 'four are not five');
  release('b');
  release('b');
  await settled();
  t.deepEqual([begun, budget.reserved(), budget.waiting()], [['a', 'b', 'c'], 6, 0]);
});

test('the account with the least space comes first, and large requests are not overtaken', async (t) => {
  const { begun, reserve, settled, release } = bench(10);
  reserve('greedy', 'g1', 5);
  reserve('greedy', 'g2', 5);
  await settled();
  reserve('greedy', 'g3', 1);
  reserve('other', 'o1', 8);
  await settled();
  t.deepEqual(begun, ['g1', 'g2']);
  release('g1');
  await settled();
  t.deepEqual(begun, ['g1', 'g2'], 'the smaller request of the large account waits');
  release('g2');
  await settled();
  t.deepEqual(begun, ['g1', 'g2', 'g3', 'o1'], 'accounts with equal space take turns');
});

test('a reservation larger than the disk runs separately', async (t) => {
  const { budget, begun, reserve, settled, release } = bench(10);
  reserve('a', 'small', 1);
  reserve('b', 'huge', 1_000);
  await settled();
  t.deepEqual(begun, ['small']);
  release('small');
  await settled();
  t.deepEqual([begun, budget.reserved()], [['small', 'huge'], 10]);
});

test('a full disk blocks all until it has room, and cancelled waiters leave', async (t) => {
  const { budget, begun, disk, reserve, settled } = bench(10, { free: 99 });
  const stop = new AbortController();
  reserve('a', 'patient', 1);
  reserve('b', 'gone', 1, stop.signal);
  await settled();
  t.deepEqual([begun, budget.waiting()], [[], 2]);
  stop.abort();
  await settled();
  t.is(budget.waiting(), 1);
  disk.free = 100;
  await pollUntil('the disk is checked again', async () => begun.length > 0);
  t.deepEqual(begun, ['patient']);
});
