import { LRUCache } from 'lru-cache';
import type { Clock } from '../process/clock.ts';

/**
 * How long a credential stays cached, from the start of its look-up. Every process refuses a revoked credential this
 * long after the read model shows the revocation. A read of the generation of the read model can add one second. The
 * command that revokes a credential waits two seconds, which is longer (`IN_FORCE_AFTER_MS`).
 */
const KNOWN_MS = 900;
const MAX_KNOWN = 10_000;

/**
 * Returns undefined for an unknown hash, and `too_many` if too many look-ups are in progress. Rejects when the look-up
 * does.
 */
export type ShortLivedCache<A> = (sha256: string) => Promise<A | undefined | 'too_many'>;

/** Concurrent requests for one hash share one look-up. At most `most_looked_up` look-ups run at once. */
export const shortLivedCache = <A extends object>(
  lookUp: (sha256: string) => Promise<A | undefined>,
  most_looked_up: number,
  clock: Pick<Clock, 'monotonic'>,
): ShortLivedCache<A> => {
  let looked_up = 0;
  const known = new LRUCache<string, { readonly found: A; readonly read_at: number }>({
    max: MAX_KNOWN,
    ttl: KNOWN_MS,
    perf: { now: clock.monotonic },
    fetchMethod: async (sha256, _stale, { options }) => {
      const read_at = clock.monotonic();
      looked_up += 1;
      try {
        const found = await lookUp(sha256);
        if (found === undefined) return undefined;
        options.ttl = Math.max(1, KNOWN_MS - (clock.monotonic() - read_at));
        return { found, read_at };
      } finally {
        looked_up -= 1;
      }
    },
  });
  return async (sha256) => {
    if (looked_up >= most_looked_up && !known.has(sha256)) return 'too_many';
    const asked_at = clock.monotonic();
    const before = await known.fetch(sha256);
    // If the store is slow, a shared look-up may have begun long before this request. Its answer is then too old, so
    // this request looks up again.
    const is_fresh = before === undefined || asked_at - before.read_at <= KNOWN_MS;
    return (is_fresh ? before : await known.fetch(sha256, { forceRefresh: true }))?.found;
  };
};
