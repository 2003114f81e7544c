import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { coalesceReads } from '../../../platform/read-store/shared-read.ts';

/** A store whose reads end on command; a read returns the number of reads that had started by then. */
const slowStore = () => {
  const ends: (() => void)[] = [];
  const read = coalesceReads<number>((key) => {
    const begun = ends.length + 1;
    return new Promise((resolve, reject) => {
      ends.push(() => (key === 'broken' ? reject(new Error('away')) : resolve(begun)));
    });
  });
  const end = async () => {
    ends.at(-1)?.();
    await turn();
  };
  return { read, end, begun: () => ends.length };
};

test('requests during a read share the next read', async (t) => {
  const { read, end, begun } = slowStore();
  const first = read('a');
  const later = [read('a'), read('a'), read('a')];
  t.is(begun(), 1);
  await end();
  t.is(begun(), 2);
  await end();
  t.deepEqual([await first, ...(await Promise.all(later))], [1, 2, 2, 2]);
  const last = read('a');
  await end();
  t.is(await last, 3);
});

test('reads of different things run concurrently', (t) => {
  const { read, begun } = slowStore();
  void read('a');
  void read('b');
  t.is(begun(), 2);
});

test('a failed read rejects all that share it, and the next one retries', async (t) => {
  const { read, end, begun } = slowStore();
  const first = read('broken');
  const next = read('broken');
  await end();
  await t.throwsAsync(first, { message: 'away' });
  t.is(begun(), 2);
  await end();
  await t.throwsAsync(next, { message: 'away' });
});
