import { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';
import type { Values } from '../configuration/configuration.ts';
import type { RATE_LIMITS } from '../configuration/parts.ts';

/** What one request found in the bucket of its key. */
export type RateShare = {
  readonly allowed: boolean;
  /** Go with every answer to a request whose key was admitted. */
  readonly headers: Readonly<Record<string, string>>;
  /** When the next request will be allowed, if this one is not; at least 1. */
  readonly retry_after_s: number;
};

/** Takes one request of a key out of its bucket, if there is one left. Costs no look at any store. */
export type RateLimits = (key_id: string) => RateShare;

/** Of a key that is pushed out the bucket is full again when it comes back. */
const MOST_BUCKETS = 10_000;

/**
 * A token bucket for each key, in this process: a key may go on with `per_s` requests a second for ever, after `burst`
 * at once. `RateLimit-Limit` is the burst, `RateLimit-Remaining` what is left of it, `RateLimit-Reset` the seconds
 * until it is whole again.
 */
export const openRateLimits = ({ per_s, burst }: Values<typeof RATE_LIMITS>): RateLimits => {
  const buckets = new LRUCache<string, TokenBucket>({
    max: MOST_BUCKETS,
    memoMethod: () => {
      const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: per_s, interval: 'second' });
      bucket.content = burst;
      return bucket;
    },
  });
  const limit = String(burst);

  return (key_id) => {
    const bucket = buckets.memo(key_id);
    const allowed = bucket.tryRemoveTokens(1);
    return {
      allowed,
      headers: {
        'RateLimit-Limit': limit,
        'RateLimit-Remaining': String(Math.floor(bucket.content)),
        'RateLimit-Reset': String(Math.ceil((burst - bucket.content) / per_s)),
      },
      retry_after_s: Math.max(1, Math.ceil((1 - bucket.content) / per_s)),
    };
  };
};
