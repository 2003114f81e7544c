import test from 'ava';
import { accountQueue } from '../../../render-workers/queue/account-queue.ts';

/** Preparations that end on command; `begun` has their names in the order of their starts. */
const bench = (at_once: number, at_once_per_account: number) => {
  const queue = accountQueue({ at_once, at_once_per_account });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    queue,
    begun,
    add: (account_id: string, name: string) =>
      queue.add({
        account_id,
        run: () => {
          begun.push(name);
          const { promise, resolve } = Promise.withResolvers<void>();
          ends.set(name, resolve);
          return promise;
        },
      }),
    end: async (name: string) => {
      ends.get(name)?.();
      await new Promise(setImmediate);
    },
  };
};

test('at most the limit run at once, and the next starts when one ends', async (t) => {
  const { queue, begun, add, end } = bench(2, 2);
  for (const name of ['a1', 'a2', 'a3']) add(name, name);
  t.deepEqual(begun, ['a1', 'a2']);
  t.is(queue.waiting(), 1);
  await end('a1');
  t.deepEqual(begun, ['a1', 'a2', 'a3']);
  t.is(queue.waiting(), 0);
  t.is(queue.running(), 2);
});

test('an account has at most its own limit, and others overtake it', (t) => {
  const { begun, add } = bench(10, 1);
  for (const name of ['a1', 'a2', 'a3']) add('a', name);
  add('b', 'b1');
  t.deepEqual(begun, ['a1', 'b1']);
});

test('waiting accounts take turns', async (t) => {
  const { begun, add, end } = bench(1, 1);
  for (const name of ['a1', 'a2', 'a3']) add('a', name);
  for (const name of ['b1', 'b2']) add('b', name);
  for (const name of ['a1', 'a2', 'b1', 'a3']) {
    await end(name);
    await end('b1');
  }
  await end('b2');
  t.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'b2']);
});
