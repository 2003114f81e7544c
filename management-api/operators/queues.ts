import type { AccountQueue } from '../../read-models/renders/account-queues.ts';

const MAX_SHOWN = 50;

const waiting = ({ preparing, queued }: AccountQueue): number => preparing + queued;

const since = ({ waiting_since }: AccountQueue): number => waiting_since ?? Number.MAX_SAFE_INTEGER;
const bySince = (one: AccountQueue, other: AccountQueue): number => since(one) - since(other);

const byCount = (one: AccountQueue, other: AccountQueue): number =>
  waiting(other) - waiting(one) || other.running - one.running || bySince(one, other);

/**
 * The queues with most waiting renders, and those whose oldest render waits longest. So a starved account with one
 * render is shown among accounts with thousands.
 */
export const busiestQueues = (queues: readonly AccountQueue[]): readonly AccountQueue[] => {
  const most = queues.toSorted(byCount).slice(0, MAX_SHOWN);
  const longest = queues.filter(({ waiting_since }) => waiting_since !== null).toSorted(bySince);
  return [...new Set([...most, ...longest.slice(0, MAX_SHOWN)])].toSorted(byCount);
};

type Sum = Omit<AccountQueue, 'account_id'> & { readonly accounts: number };

export const sumOfQueues = (queues: readonly AccountQueue[]): Sum => {
  const [first] = queues.toSorted(bySince);
  const sum = (of: (queue: AccountQueue) => number): number => queues.reduce((all, queue) => all + of(queue), 0);
  return {
    accounts: queues.length,
    preparing: sum(({ preparing }) => preparing),
    queued: sum(({ queued }) => queued),
    running: sum(({ running }) => running),
    waiting_since: first?.waiting_since ?? null,
  };
};
