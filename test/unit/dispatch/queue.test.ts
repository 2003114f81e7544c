import test from 'ava';
import fc from 'fast-check';
import { fairOrder, type Waiting } from '../../../domain/dispatch/queue.ts';

const waiting = (account_id: string, render_id: string, created_at: number): Waiting => ({
  account_id,
  render_id,
  created_at,
});
const IDLE = { running: new Map(), last_turn: new Map(), account_cap: 10 };
const ids = (order: readonly Waiting[]) => order.map(({ render_id }) => render_id);

test('accounts take turns, each with its oldest render', (t) => {
  const queue = [waiting('big', 'b2', 2), waiting('big', 'b1', 1), waiting('big', 'b3', 3), waiting('small', 's1', 9)];
  t.deepEqual(ids(fairOrder(queue, IDLE, 10)), ['b1', 's1', 'b2', 'b3']);
});

test('the account whose turn is longest ago is first', (t) => {
  const queue = [waiting('a', 'a1', 1), waiting('b', 'b1', 2)];
  const last_turn = new Map([
    ['a', 7],
    ['b', 3],
  ]);
  t.deepEqual(ids(fairOrder(queue, { ...IDLE, last_turn }, 1)), ['b1']);
});

test('an account at its cap is passed over', (t) => {
  const queue = [waiting('a', 'a1', 1), waiting('a', 'a2', 2), waiting('b', 'b1', 3)];
  const running = new Map([['a', 1]]);
  t.deepEqual(ids(fairOrder(queue, { ...IDLE, running, account_cap: 2 }, 10)), ['a1', 'b1']);
});

test('with n accounts waiting, none gets a second turn before each had one', (t) => {
  const queues = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(5)), { maxLength: 40 });
  fc.assert(
    fc.property(queues, fc.nat(50), (queue, count) => {
      const all = queue.map(([account, created_at], i) => waiting(account, `r${i}`, created_at));
      const order = fairOrder(all, { ...IDLE, account_cap: 1_000 }, count);
      t.is(order.length, Math.min(count, all.length));
      t.is(new Set(ids(order)).size, order.length);
      const total = (account: string) => all.filter(({ account_id }) => account_id === account).length;
      for (const [i, { account_id }] of order.entries()) {
        const before = order.slice(0, i);
        const turns = (account: string) => before.filter((other) => other.account_id === account).length;
        for (const other of new Set(all.map((render) => render.account_id))) {
          t.true(turns(other) >= Math.min(turns(account_id), total(other)));
        }
      }
    }),
  );
});
