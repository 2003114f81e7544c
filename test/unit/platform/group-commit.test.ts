import test from 'ava';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { createGroupCommit, type WriteSize } from '../../../platform/read-store/group-commit.ts';

const NEVER = new AbortController().signal;
const ONE: WriteSize = { documents: 1, bytes: 10 };
const ROOMY: WriteSize = { documents: 100, bytes: 1_000_000 };

/** A group commit that records its commits; `refuse` returns the error for a group. */
const world = (refuse: (group: readonly number[]) => Error | null = () => null, most = ROOMY) => {
  const groups: (readonly number[])[] = [];
  const failures: number[] = [];
  const queue = createGroupCommit<number, number>({
    commit: async (group) => {
      groups.push(group);
      await Promise.resolve();
      const fault = refuse(group);
      if (fault !== null) throw fault;
      return group.map((n) => n * 2);
    },
    most,
    on_failure: (_error, writes) => failures.push(writes.length),
    clock: SYSTEM_CLOCK,
  });
  return { groups, failures, queue };
};

const refused = () => new MongoServerError({ message: 'Transaction is too large' });

test('writes of the same turn form one group, each with its own result', async (t) => {
  const { groups, queue } = world();
  t.deepEqual(await Promise.all([1, 2, 3].map((n) => queue.put(n, ONE, NEVER))), [2, 4, 6]);
  t.deepEqual(groups, [[1, 2, 3]]);
});

test('writes that arrive during a group form the next one', async (t) => {
  const { groups, queue } = world();
  const first = queue.put(1, ONE, NEVER);
  await Promise.resolve();
  await Promise.resolve();
  const others = [2, 3].map((n) => queue.put(n, ONE, NEVER));
  await Promise.all([first, ...others]);
  t.deepEqual(groups, [[1], [2, 3]]);
});

test('a group is limited in documents and bytes, and a larger write is separate', async (t) => {
  const { groups, queue } = world(() => null, { documents: 3, bytes: 100 });
  await Promise.all([
    queue.put(1, ONE, NEVER),
    queue.put(2, { documents: 2, bytes: 10 }, NEVER),
    queue.put(3, ONE, NEVER),
    queue.put(4, { documents: 1, bytes: 95 }, NEVER),
    queue.put(5, { documents: 1, bytes: 500 }, NEVER),
    queue.put(6, ONE, NEVER),
  ]);
  t.deepEqual(groups, [[1, 2], [3], [4], [5], [6]]);
});

test('a refused group is halved until only the faulty write waits', async (t) => {
  let tries = 0;
  const { groups, queue } = world((group) => {
    if (!group.includes(3)) return null;
    if (group.length === 1) tries += 1;
    return group.length === 1 && tries === 2 ? null : refused();
  });
  const three = queue.put(3, ONE, NEVER);
  const others = [1, 2, 4].map((n) => queue.put(n, ONE, NEVER));
  t.deepEqual(await Promise.all(others), [2, 4, 8]);
  t.is(tries, 1, 'the others did not wait for its retry');
  t.is(await three, 6);
  t.deepEqual(groups.at(-1), [3]);
});

test('a write that was refused separately does not join a group again', async (t) => {
  const { groups, queue } = world((group) => (group.includes(1) ? refused() : null));
  const stop = new AbortController();
  const one = queue.put(1, ONE, stop.signal);
  await queue.put(2, ONE, NEVER);
  const end = Date.now() + 5_000;
  for (let n = 3; groups.filter((group) => group.includes(1)).length < 4 && Date.now() < end; n += 1) {
    await queue.put(n, ONE, NEVER);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  t.deepEqual(
    groups.filter((group) => group.includes(1)),
    [[1, 2], [1], [1], [1]],
  );
  stop.abort(new RangeError('enough'));
  await t.throwsAsync(one, { instanceOf: RangeError });
});

test('while the server is unavailable, all writes wait in order in one group', async (t) => {
  let away = 3;
  const { groups, failures, queue } = world(() => {
    away -= 1;
    return away >= 0 ? new MongoNetworkError('connection closed') : null;
  });
  t.deepEqual(await Promise.all([1, 2].map((n) => queue.put(n, ONE, NEVER))), [2, 4]);
  t.deepEqual(groups, [
    [1, 2],
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
  t.deepEqual(failures, [2, 2, 2]);
});

test('an aborted write rejects at once and is not written', async (t) => {
  let away = true;
  const { groups, queue } = world(() => (away ? new MongoNetworkError('connection closed') : null));
  const stop = new AbortController();
  const one = queue.put(1, ONE, stop.signal);
  const two = queue.put(2, ONE, NEVER);
  stop.abort(new RangeError('enough'));
  await t.throwsAsync(one, { instanceOf: RangeError });
  away = false;
  t.is(await two, 4);
  t.deepEqual(groups.at(-1), [2]);
  t.is(queue.waiting(), 0);
  await t.throwsAsync(queue.put(3, ONE, stop.signal), { instanceOf: RangeError });
});

test('a permanent error fails one write, and the others succeed', async (t) => {
  const groups: (readonly number[])[] = [];
  const queue = createGroupCommit<number, number>({
    commit: async (group) => {
      groups.push(group);
      if (group.includes(2)) throw new RangeError('moved');
      return group;
    },
    most: ROOMY,
    isPermanent: (error) => error instanceof RangeError,
    on_failure: () => t.fail('nothing is tried again'),
    clock: SYSTEM_CLOCK,
  });
  const outcomes = await Promise.allSettled([1, 2, 3].map((n) => queue.put(n, ONE, NEVER)));
  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.deepEqual(groups.at(-1), [3]);
});

test('the commit queue is idle once the transaction of a dropped write ends', async (t) => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const queue = createGroupCommit<number, number>({
    commit: async (group) => {
      begun.resolve();
      await gate.promise;
      return group;
    },
    most: ROOMY,
    on_failure: () => undefined,
    clock: SYSTEM_CLOCK,
  });
  const stop = new AbortController();
  const one = queue.put(1, ONE, stop.signal);
  await begun.promise;
  stop.abort(new RangeError('enough'));
  await t.throwsAsync(one, { instanceOf: RangeError });
  let idle = false;
  const waiting = queue.idle().then(() => {
    idle = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  t.false(idle);
  gate.resolve();
  await waiting;
});
