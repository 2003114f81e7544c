import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import { isUnfolded, type UnfoldedRender } from '../../domain/limits/waiting-renders.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { AccountRenders } from '../../read-models/renders/account-renders.ts';
import type { RenderReservation } from '../credits/reservation.ts';

export type WaitingRenderReservations = {
  /**
   * Reserves a place among the account's waiting renders. The caller must settle the reservation. Rejects on store
   * outage.
   */
  readonly reserve: (account_id: string, render_id: string) => Promise<E.Either<ApiError, RenderReservation>>;
};

const MAX_ACCOUNTS = 10_000;
const REMEMBERED_MS = 15 * 60_000;
/** Maximum age of a count, and maximum share of the time for counting, because the store may be slow. */
const COUNTED_EVERY_MS = 1_000;
const MAX_OF_TIME = 1 / 20;
/** An append without an answer has reached the log within this time, or never will. */
const UNSURE_MS = 60_000;
/** A fixed time, because the end of a render cannot be predicted. */
const RETRY_AFTER_S = 30;

type Known = {
  counted: number | null;
  next_count_at: number;
  counting: Promise<void> | null;
  readonly unseen: Map<string, UnfoldedRender>;
};

const tooMany = (most: number): ApiError => ({
  ...{ tag: 'rate_limited', code: 'too_many_waiting_renders' },
  message: `waiting renders: the account already has ${most} unfinished renders, the maximum; try again when some have ended`,
  retry_after_s: RETRY_AFTER_S,
});

export const openWaitingRenderReservations = (
  count: AccountRenders['countOpen'],
  most: number,
  clock: Clock,
): WaitingRenderReservations => {
  const accounts = new LRUCache<string, Known>({
    max: MAX_ACCOUNTS,
    ttl: REMEMBERED_MS,
    perf: { now: clock.monotonic },
    updateAgeOnGet: true,
    memoMethod: () => ({ counted: null, next_count_at: 0, counting: null, unseen: new Map() }),
  });

  const recount = async (account_id: string, known: Known): Promise<void> => {
    const began = clock.monotonic();
    try {
      const { folded, open } = await count(account_id, most);
      known.counted = open;
      const now_ms = clock.now();
      for (const [id, render] of known.unseen) if (!isUnfolded(render, folded, now_ms)) known.unseen.delete(id);
    } finally {
      // Also after a failed count, the next one waits, because the store may still work on the failed one.
      const ended = clock.monotonic();
      known.next_count_at = ended + Math.max(COUNTED_EVERY_MS, (ended - began) / MAX_OF_TIME);
      known.counting = null;
    }
  };

  /** Returns the running count, or starts one if it is due. */
  const counted = (account_id: string, known: Known): Promise<void> | null => {
    const is_due = known.counted === null || clock.monotonic() >= known.next_count_at;
    if (known.counting === null && is_due) {
      known.counting = recount(account_id, known);
      // Requests that wait for this count get its rejection. If none waits, an unhandled rejection must not end the
      // process.
      known.counting.catch(() => undefined);
    }
    return known.counting;
  };

  const isFull = ({ counted, unseen }: Known): boolean => (counted ?? 0) + unseen.size >= most;

  const reservationOf = (known: Known, render_id: string): RenderReservation => {
    const tell = (change: Partial<UnfoldedRender>): void => {
      const before = known.unseen.get(render_id);
      if (before !== undefined) known.unseen.set(render_id, { ...before, ...change });
    };
    return {
      confirm: (place) => tell({ place }),
      release: () => known.unseen.delete(render_id),
      markUnknown: () => tell({ until: clock.now() + UNSURE_MS }),
    };
  };

  return {
    reserve: async (account_id, render_id) => {
      const known = accounts.memo(account_id);
      const counting = counted(account_id, known);
      // A refusal needs a fresh count; other requests do not wait for one.
      if (known.counted === null || isFull(known)) await counting;
      // The rest is synchronous, so that no other request of this process runs in between.
      if (isFull(known) && !known.unseen.has(render_id)) return E.left(tooMany(most));
      known.unseen.set(render_id, { place: null, until: null });
      return E.right(reservationOf(known, render_id));
    },
  };
};
