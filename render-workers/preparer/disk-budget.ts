import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';

export type DiskBudgetOptions = {
  readonly most_bytes: number;
  readonly least_free_bytes: number;
  readonly freeBytes: () => Promise<number>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly look_every_ms?: number;
};

export type DiskReservation = {
  readonly shrink: (bytes: number) => void;
  /** Call after the files are removed. */
  readonly release: () => void;
};

/**
 * A render reserves its maximum before it starts and then waits for nothing, so there is no deadlock. The account with
 * the least reserved space is served first, and small requests do not overtake a large one.
 */
export type DiskBudget = {
  /** Rejects when the signal aborts. A request above the limit runs when nothing else is reserved. */
  readonly reserve: (account_id: string, bytes: number, signal: AbortSignal) => Promise<DiskReservation>;
  readonly reserved: () => number;
  readonly waiting: () => number;
};

const LOOK_EVERY_MS = 1_000;
const MIB = 1024 ** 2;

type Waiting = {
  readonly account_id: string;
  readonly bytes: number;
  readonly begin: (reservation: DiskReservation) => void;
};

export const openDiskBudget = (options: DiskBudgetOptions): DiskBudget => {
  const { most_bytes, least_free_bytes, freeBytes } = options;
  const warn = throttledWarn(options.logger);
  const reservedByAccount = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let reserved = 0;

  const change = (account_id: string, by_bytes: number): void => {
    reserved += by_bytes;
    const now = (reservedByAccount.get(account_id) ?? 0) + by_bytes;
    if (now > 0) reservedByAccount.set(account_id, now);
    else reservedByAccount.delete(account_id);
  };

  const reservation = (account_id: string, bytes: number): DiskReservation => {
    let kept = bytes;
    change(account_id, bytes);
    const keep = (less: number): void => {
      if (less >= kept) return;
      change(account_id, less - kept);
      kept = less;
      void beginWhatMay();
    };
    return { shrink: keep, release: () => keep(0) };
  };

  const next = (): Waiting | null => {
    let first: Waiting | null = null;
    const heldBy = ({ account_id }: Waiting): number => reservedByAccount.get(account_id) ?? 0;
    for (const one of waiting) if (first === null || heldBy(one) < heldBy(first)) first = one;
    return first;
  };

  const isFree = async (): Promise<boolean> => {
    const free = await freeBytes().catch(() => 0);
    if (free >= least_free_bytes) return true;
    warn(
      { free_mib: Math.floor(free / MIB), least_mib: Math.ceil(least_free_bytes / MIB) },
      'the disk is too full to prepare renders; they wait until there is room',
    );
    return false;
  };

  let cancelLook = (): void => undefined;
  const lookAgain = (): void => {
    cancelLook();
    cancelLook = options.clock.after(options.look_every_ms ?? LOOK_EVERY_MS, () => void beginWhatMay());
  };

  let looking = false;
  const beginWhatMay = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    try {
      while (waiting.size > 0) {
        if (!(await isFree())) return lookAgain();
        const one = next();
        if (one === null || (reserved > 0 && reserved + one.bytes > most_bytes)) return;
        waiting.delete(one);
        one.begin(reservation(one.account_id, one.bytes));
      }
    } finally {
      looking = false;
    }
  };

  return {
    reserve: async (account_id, bytes, signal) => {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<DiskReservation>();
      const one: Waiting = { account_id, bytes: Math.min(bytes, most_bytes), begin: resolve };
      const leave = (): void => {
        waiting.delete(one);
        reject(signal.reason);
        void beginWhatMay();
      };
      waiting.add(one);
      signal.addEventListener('abort', leave);
      void beginWhatMay();
      try {
        return await promise;
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
    reserved: () => reserved,
    waiting: () => waiting.size,
  };
};
