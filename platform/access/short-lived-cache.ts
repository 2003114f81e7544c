import { LRUCache } from 'lru-cache';
import type { Clock } from '../process/clock.ts';

/**
 * Counted from before the look-up. An ended credential is refused everywhere this long after the read model shows its
 * end. If its generation must be read too, that takes a second more. Both are within the two seconds that a revocation
 * waits.
 */
const KNOWN_MS = 900;
const MAX_KNOWN = 10_000;

/**
 * The value of a hash; undefined if the hash is unknown, `too_many` if too many look-ups are in progress. Rejects when
 * the look-up does.
 */
export type ShortLivedCache<A> = (sha256: string) => Promise<A | undefined | 'too_many'>;

/**
 * Caches look-ups for less than a second. Concurrent requests of one hash share one look-up.
 * @param lookUp looks up a hash that is not cached
 * @param most_looked_up maximum of concurrent look-ups
 */
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
    // If the store is slow, a look-up that this request joined may have begun too long ago.
    const is_fresh = before === undefined || asked_at - before.read_at <= KNOWN_MS;
    return (is_fresh ? before : await known.fetch(sha256, { forceRefresh: true }))?.found;
  };
};
