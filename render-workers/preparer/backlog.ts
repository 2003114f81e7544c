import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { WaitingRender, WaitingRenders } from '../../read-models/renders/waiting-renders.ts';
import type { AccountQueue } from './account-queue.ts';

const LOOK_EVERY_MS = 1_000;
/** Finds renders that an earlier process left. */
const SWEEP_EVERY_MS = 60_000;
/** A render in preparation for longer may be unknown to this process. */
const OLD_MS = 120_000;
/** Renders loaded at a time, once fewer than `TAKE_BELOW` wait in memory. */
const TAKEN_AT_ONCE = 500;
const TAKE_BELOW = 50;

export type BacklogOptions = {
  readonly renders: WaitingRenders;
  /** The assigned partitions; each signal aborts when its partition is revoked. */
  readonly owned: () => ReadonlyMap<number, AbortSignal>;
  readonly queue: AccountQueue;
  readonly isHeldBack: (account_id: string) => Promise<boolean>;
  /** Whether it is in preparation here, or was a moment ago. */
  readonly isInHand: (render_id: string) => boolean;
  readonly prepare: (waiting: WaitingRender, signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly crash: (error: unknown) => void;
  readonly look_every_ms?: number;
};

/**
 * Accounts whose renders wait in the read model, not in memory: those that are held back, and those that have more
 * than fit. Other accounts are not affected, however many wait and for how long: no offset
 * waits for them.
 */
export type Backlog = {
  /** Skips a render of the account; it is loaded from the read model once the account may continue. */
  readonly leave: (account_id: string) => void;
  /** Whether renders of the account may wait in the read model, so that later ones queue behind them. */
  readonly has: (account_id: string) => boolean;
  readonly accounts: () => number;
  readonly stop: () => Promise<void>;
};

export const openBacklog = (options: BacklogOptions): Backlog => {
  const { renders, owned, queue, isHeldBack, isInHand, prepare, clock, crash } = options;
  const warn = sparingWarnings(options.logger);
  /** How many renders of each account were skipped. */
  const left = new Map<string, number>();
  /** Loaded renders that wait in the queue. */
  const taken = new Set<string>();
  const swept = new Map<number, number>();

  const leave = (account_id: string): void => {
    left.set(account_id, (left.get(account_id) ?? 0) + 1);
  };

  const enqueue = (waiting: WaitingRender, signal: AbortSignal): void => {
    const { id, account_id } = waiting.render;
    taken.add(id);
    queue.add({
      account_id,
      run: async () => {
        taken.delete(id);
        if (signal.aborted) return;
        try {
          await prepare(waiting, signal);
        } catch (error) {
          if (!signal.aborted) crash(error);
        }
      },
    });
  };

  const take = async (account_id: string): Promise<void> => {
    const times = left.get(account_id);
    const ids = await renders.ids(account_id, [...owned().keys()]);
    const others = ids.filter((id) => !taken.has(id) && !isInHand(id));
    if (others.length === 0) {
      // One that was skipped meanwhile may not have been among them.
      if (left.get(account_id) === times) left.delete(account_id);
      return;
    }
    for (const waiting of await renders.load(others.slice(0, TAKEN_AT_ONCE))) {
      const signal = owned().get(waiting.partition);
      if (signal !== undefined) enqueue(waiting, signal);
    }
  };

  const sweep = async (): Promise<void> => {
    const now_ms = clock.now();
    const due = [...owned().keys()].filter((one) => now_ms - (swept.get(one) ?? 0) >= SWEEP_EVERY_MS);
    if (due.length === 0) return;
    for (const account_id of await renders.accounts(due, now_ms - OLD_MS)) leave(account_id);
    for (const partition of due) swept.set(partition, now_ms);
  };

  const look = async (): Promise<void> => {
    await sweep();
    for (const account_id of left.keys()) {
      if (queue.waitingOf(account_id) >= TAKE_BELOW || (await isHeldBack(account_id))) continue;
      await take(account_id);
    }
  };

  let looking: Promise<void> | null = null;
  const endLooking = clock.every(options.look_every_ms ?? LOOK_EVERY_MS, () => {
    looking ??= look()
      .catch((error: unknown) => warn({ error }, 'waiting renders could not be loaded; trying again'))
      .finally(() => {
        looking = null;
      });
  });

  return {
    leave,
    has: (account_id) => left.has(account_id),
    accounts: () => left.size,
    stop: async () => {
      endLooking();
      await looking;
    },
  };
};
