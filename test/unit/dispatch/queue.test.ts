import test from 'ava';
import fc from 'fast-check';
import { createDispatchQueue, type DispatchQueue, type QueuedRender } from '../../../domain/dispatch/fair-queue.ts';

const waiting = (account_id: string, render_id: string, created_at: number, team_id = 'team'): QueuedRender => ({
  ...{ account_id, team_id, render_id, created_at },
});

const queueOf = (...renders: readonly QueuedRender[]): DispatchQueue => {
  const queue = createDispatchQueue();
  for (const one of renders) queue.add(one);
  return queue;
};

const drained = (
  queue: DispatchQueue,
  hasRoom: (account_id: string) => boolean = () => true,
): readonly QueuedRender[] => {
  const order: QueuedRender[] = [];
  for (let next = queue.take(hasRoom); next !== null; next = queue.take(hasRoom)) {
    queue.recordTurn(next);
    order.push(next);
  }
  return order;
};
const ids = (order: readonly QueuedRender[]) => order.map(({ render_id }) => render_id);

test('accounts take turns, each with its oldest render', (t) => {
  const queue = queueOf(
    ...[waiting('big', 'b2', 2), waiting('big', 'b1', 1), waiting('big', 'b3', 3), waiting('small', 's1', 9)],
  );
  t.deepEqual(ids(drained(queue)), ['b1', 's1', 'b2', 'b3']);
});

test('teams of an account take turns and share its turn', (t) => {
  const queue = queueOf(
    ...[waiting('a', 'x1', 1, 'x'), waiting('a', 'x2', 2, 'x'), waiting('a', 'x3', 3, 'x'), waiting('a', 'y1', 9, 'y')],
    ...[waiting('b', 'z1', 10, 'z'), waiting('b', 'z2', 11, 'z')],
  );
  t.deepEqual(ids(drained(queue)), ['x1', 'z1', 'y1', 'z2', 'x2', 'x3']);
});

test('a returning account has its turn after accounts that waited longer', (t) => {
  const queue = queueOf(waiting('a', 'a1', 1), waiting('b', 'b1', 2));
  t.deepEqual(ids(drained(queue)), ['a1', 'b1']);
  for (const one of [waiting('b', 'b2', 3), waiting('a', 'a2', 4), waiting('c', 'c1', 5)]) queue.add(one);
  t.deepEqual(ids(drained(queue)), ['c1', 'a2', 'b2']);
});

test('an account without room is skipped, and keeps its place', (t) => {
  const queue = queueOf(waiting('a', 'a1', 1), waiting('a', 'a2', 2), waiting('b', 'b1', 3));
  let running = 0;
  const hasRoom = (account_id: string): boolean => account_id !== 'a' || running < 1;
  const first = queue.take(hasRoom);
  t.is(first?.render_id, 'a1');
  if (first !== null) queue.recordTurn(first);
  running = 1;
  t.deepEqual(ids(drained(queue, hasRoom)), ['b1']);
  running = 0;
  t.is(queue.take(hasRoom), null, 'the account has no room yet');
  queue.resume('a');
  t.deepEqual(ids(drained(queue, hasRoom)), ['a2']);
});

test('the queue skips removed entries and returns repeated entries once', (t) => {
  const [one, other] = [waiting('a', 'a1', 1), waiting('a', 'a2', 2)];
  const queue = queueOf(one, other, one);
  queue.remove('a2');
  t.false(queue.has('a2'));
  t.deepEqual(ids(drained(queue)), ['a1']);
  queue.add(other);
  t.deepEqual(ids(drained(queue)), ['a2']);
});

/** Whether no account got two turns more than another account that still had waiting renders. */
const isFair = (order: readonly QueuedRender[], who: (one: QueuedRender) => string): boolean => {
  const total = new Map(Array.from(Map.groupBy(order, who), ([name, its]) => [name, its.length]));
  const turns = new Map<string, number>();
  return order.every((one) => {
    const mine = turns.get(who(one)) ?? 0;
    turns.set(who(one), mine + 1);
    return [...total].every(([other, all]) => (turns.get(other) ?? 0) >= Math.min(mine, all));
  });
};

test('every waiting account and team has a turn before any has a second', (t) => {
  const accounts = ['a', 'b', 'c'];
  const queues = fc.array(fc.tuple(fc.constantFrom(...accounts), fc.constantFrom('x', 'y', 'z'), fc.nat(5)), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(queues, (queue) => {
      const all = queue.map(([account, team, created_at], i) => waiting(account, `r${i}`, created_at, team));
      const order = drained(queueOf(...all));
      t.is(new Set(ids(order)).size, all.length);
      t.true(isFair(order, ({ account_id }) => account_id));
      for (const account of accounts) {
        const its = order.filter(({ account_id }) => account_id === account);
        t.true(isFair(its, ({ team_id }) => team_id));
      }
    }),
  );
});
