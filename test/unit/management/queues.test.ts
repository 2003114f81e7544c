import test from 'ava';
import { busiestQueues, sumOfQueues } from '../../../management-api/operators/queues.ts';
import type { AccountQueue } from '../../../read-models/renders/account-queues.ts';

const queue = (account_id: string, change: Partial<AccountQueue> = {}): AccountQueue => ({
  ...{ account_id, preparing: 0, queued: 0, running: 0, waiting_since: null, ...change },
});

const idsOf = (queues: readonly AccountQueue[]): readonly string[] => queues.map(({ account_id }) => account_id);

test('accounts are sorted by waiting renders, then by running ones', (t) => {
  const queues = [
    queue('runs', { running: 9 }),
    queue('one', { queued: 1, running: 1, waiting_since: 5 }),
    queue('three', { preparing: 2, queued: 1, waiting_since: 9 }),
    queue('one for longer', { preparing: 1, running: 1, waiting_since: 1 }),
  ];
  t.deepEqual(idsOf(busiestQueues(queues)), ['three', 'one for longer', 'one', 'runs']);
});

test('the largest queues are shown along with those that wait longest', (t) => {
  const many = Array.from({ length: 200 }, (_, n) => queue(`many_${n}`, { queued: 1_000 - n, waiting_since: 500 + n }));
  const passed_by = queue('passed by', { queued: 1, waiting_since: 1 });
  const busy = queue('busy', { running: 5_000 });
  const shown = idsOf(busiestQueues([...many, busy, passed_by]));
  t.is(shown.length, 51);
  t.deepEqual(shown, [...idsOf(many.slice(0, 50)), 'passed by']);
});

test('the total has the longest wait, or null without waiting renders', (t) => {
  const queues = [
    queue('a', { preparing: 1, queued: 2, waiting_since: 7 }),
    queue('b', { queued: 4, running: 3, waiting_since: 3 }),
    queue('c', { running: 1 }),
  ];
  t.deepEqual(sumOfQueues(queues), { accounts: 3, preparing: 1, queued: 6, running: 4, waiting_since: 3 });
  t.is(sumOfQueues([queue('c', { running: 1 })]).waiting_since, null);
  t.deepEqual(sumOfQueues([]), { accounts: 0, preparing: 0, queued: 0, running: 0, waiting_since: null });
});
