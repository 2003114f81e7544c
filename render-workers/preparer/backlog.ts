import { LRUCache } from 'lru-cache';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { MAX_IDS, type WaitingRender, type WaitingRenders } from '../../read-models/renders/waiting-renders.ts';
import type { AccountWindows } from './account-windows.ts';

const LOOK_EVERY_MS = 1_000;
const ACCOUNTS_AT_ONCE = 100;
/** Sweeps find renders that an earlier process left. They take at most 1 / `SWEEP_PART` of the time. */
const SWEEP_EVERY_MS = 60_000;
const SWEEP_PART = 20;
/** If a render is in preparation for longer, another process may have left it. */
const OLD_MS = 120_000;
/** Maximum number of render ids that are cached between rounds, which saves queries. */
const MAX_LISTED = 100_000;

export type BacklogOptions = {
  readonly renders: WaitingRenders;
  readonly owned: () => ReadonlyMap<number, AbortSignal>;
  readonly windows: Pick<AccountWindows, 'roomOf' | 'heldOf'>;
  readonly isHeldBack: (account_id: string) => Promise<boolean>;
  /** Whether this process holds the render, or held it a moment ago. */
  readonly isInHand: (render_id: string) => boolean;
  readonly prepare: (waiting: WaitingRender, signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly crash: (error: unknown) => void;
  readonly look_every_ms?: number;
};

/**
 * Renders of accounts that are held back or exceed their window. They do not delay the stored position of a partition,
 * so they do not affect other accounts.
 */
export type Backlog = {
  /** Skips a render. It is loaded from the read model once the account may continue. */
  readonly defer: (account_id: string) => void;
  /** Whether renders of the account wait in the read model. Its later renders must then queue behind them. */
  readonly has: (account_id: string) => boolean;
  readonly accounts: () => number;
  readonly stop: () => Promise<void>;
};

export const openBacklog = (options: BacklogOptions): Backlog => {
  const { renders, owned, windows, isHeldBack, isInHand, prepare, clock, crash } = options;
  const warn = throttledWarn(options.logger);
  const left = new Map<string, number>();
  /** Ids of waiting renders by account. They may be out of date. */
  const listed = new LRUCache<string, readonly string[]>({
    maxSize: MAX_LISTED,
    sizeCalculation: ({ length }) => length,
  });
  const swept = new Map<number, number>();
  let sweep_again_ms = 0;

  const defer = (account_id: string): void => {
    left.set(account_id, (left.get(account_id) ?? 0) + 1);
  };

  const start = async (waiting: WaitingRender, signal: AbortSignal): Promise<void> => {
    try {
      await prepare(waiting, signal);
    } catch (error) {
      if (!signal.aborted) crash(error);
    }
  };

  const take = async (account_id: string): Promise<void> => {
    const times = left.get(account_id);
    const kept = listed.get(account_id);
    const ids = kept ?? (await renders.ids(account_id, [...owned().keys()]));
    const others = ids.filter((id) => !isInHand(id));
    const room = windows.roomOf(account_id);
    const rest = others.slice(room);
    if (rest.length > 0) listed.set(account_id, rest);
    else listed.delete(account_id);
    if (others.length === 0) {
      // Only a complete list, fresh from the read model, proves that no render waits. It may lack a render that was
      // deferred meanwhile.
      const is_all = kept === undefined && ids.length < MAX_IDS;
      if (is_all && left.get(account_id) === times) left.delete(account_id);
      return;
    }
    for (const waiting of await renders.load(others.slice(0, room))) {
      const signal = owned().get(waiting.partition);
      if (signal !== undefined) void start(waiting, signal);
    }
  };

  const sweep = async (): Promise<void> => {
    const now_ms = clock.now();
    const began_ms = clock.monotonic();
    if (began_ms < sweep_again_ms) return;
    const due = [...owned().keys()].filter((one) => now_ms - (swept.get(one) ?? 0) >= SWEEP_EVERY_MS);
    if (due.length === 0) return;
    for (const account_id of await renders.accounts(due, now_ms - OLD_MS)) defer(account_id);
    for (const partition of due) swept.set(partition, now_ms);
    const ended_ms = clock.monotonic();
    sweep_again_ms = ended_ms + SWEEP_PART * (ended_ms - began_ms);
  };

  /** Refill before the window is empty, but not after each render. */
  const mayTake = (account_id: string): boolean =>
    windows.roomOf(account_id) >= Math.max(1, windows.heldOf(account_id));

  const look = async (): Promise<void> => {
    await sweep();
    let turns = 0;
    for (const account_id of [...left.keys()]) {
      if (!mayTake(account_id)) continue;
      turns += 1;
      if (turns > ACCOUNTS_AT_ONCE) return;
      const times = left.get(account_id) ?? 0;
      left.delete(account_id);
      left.set(account_id, times);
      if (!(await isHeldBack(account_id))) await take(account_id);
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
    defer,
    has: (account_id) => left.has(account_id),
    accounts: () => left.size,
    stop: async () => {
      endLooking();
      await looking;
    },
  };
};
