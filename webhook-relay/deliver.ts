import { setTimeout as wait } from 'node:timers/promises';
import type { Delivery } from './delivery.ts';
import { type Attempted, dial } from './dial.ts';
import { delayAfter, type Schedule } from './schedule.ts';

/** How a delivery ended. `interrupted`: the process was told to stop, and the delivery is still owed. */
export type DeliveryEnd =
  | { readonly tag: 'delivered'; readonly attempts: number }
  | { readonly tag: 'exhausted'; readonly attempts: number; readonly reason: string }
  | { readonly tag: 'interrupted' };

/** A delivery under way. Neither promise ever rejects. */
export type Delivering = { readonly first_attempt_ended: Promise<void>; readonly ended: Promise<DeliveryEnd> };

/** Bounds how many attempts are made at once; waits between attempts do not count. */
export type Slots = <T>(task: () => Promise<T>) => Promise<T>;

/** How a delivery is told to end early. */
export type Stopping = {
  /** No further attempt is begun, and none is waited for. */
  readonly soon: AbortSignal;
  /** An attempt under way is cut off as well. */
  readonly now: AbortSignal;
};

/** Tries a delivery until it succeeds, or until the schedule has no more retries. */
export const deliver = (delivery: Delivery, schedule: Schedule, slots: Slots, stop: Stopping): Delivering => {
  const first = Promise.withResolvers<void>();
  const tryAll = async (): Promise<DeliveryEnd> => {
    for (let attempt = 1; ; attempt += 1) {
      const result = await slots(
        async (): Promise<Attempted> =>
          stop.soon.aborted
            ? { tag: 'failed', reason: 'stopped' }
            : dial(delivery, schedule.attempt_timeout_ms, stop.now),
      );
      first.resolve();
      if (result.tag === 'delivered') return { tag: 'delivered', attempts: attempt };
      if (stop.soon.aborted) return { tag: 'interrupted' };
      const delay_ms = delayAfter(schedule, attempt);
      if (delay_ms === null) return { tag: 'exhausted', attempts: attempt, reason: result.reason };
      const stopped = await wait(delay_ms, false, { signal: stop.soon }).catch(() => true);
      if (stopped) return { tag: 'interrupted' };
    }
  };
  return { first_attempt_ended: first.promise, ended: tryAll() };
};
