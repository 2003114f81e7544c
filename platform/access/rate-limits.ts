import { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';
import type { Values } from '../configuration/configuration.ts';
import type { RATE_LIMITS } from '../configuration/parts.ts';

/** The state of a key's bucket after a request. */
export type RateShare = {
  readonly allowed: boolean;
  /** Headers of every answer to a request whose key was admitted. */
  readonly headers: Readonly<Record<string, string>>;
  /** When the next request will be allowed, if this one is not; at least 1. */
  readonly retry_after_s: number;
};

/** Takes one request from the bucket of a key, if there is one left. Without a query of any store. */
export type RateLimits = (key_id: string) => RateShare;

/** An evicted key gets a full bucket when it comes back. */
const MOST_BUCKETS = 10_000;

/**
 * A token bucket for each key, in this process: `burst` requests at once, then `per_s` a second. `RateLimit-Limit` is
 * the burst, `RateLimit-Remaining` what is left of it, `RateLimit-Reset` the seconds until it is full again.
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
