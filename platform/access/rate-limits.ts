import { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';
import type { Values } from '../configuration/configuration.ts';
import type { RATE_LIMITS } from '../configuration/parts.ts';
import type { Logger } from '../logging/logger.ts';
import { throttledWarn } from '../logging/throttled-warn.ts';
import type { Clock } from '../process/clock.ts';
import { withTimeout } from '../process/within.ts';

export type RateLimitState = {
  readonly allowed: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly retry_after_s: number;
};

/** Takes one token from the key's bucket, if a token is left. Never rejects. */
export type RateLimits = (key_id: string) => Promise<RateLimitState>;

export type TokenRequest = {
  readonly waiting: number;
  /** The process takes this many tokens, or a tenth of the remaining tokens if that is more, as far as available. */
  readonly wanted: number;
  /** Unused tokens of the last slice; negative if the process used more than it took. */
  readonly returned: number;
};

/** Null if another process created the bucket at the same time. Rejects when the store does not answer. */
export type TakeFromSharedBucket = (
  key_id: string,
  ask: TokenRequest,
) => Promise<{ readonly taken: number; readonly level: number } | null>;

/**
 * Keys that this process remembers. An evicted key that is used again gets a full bucket here; its shared bucket does
 * not change.
 */
const MAX_KEYS = 10_000;
/**
 * Lifetime of a slice. It counts from before the take, so the slice ends in this process before it ends in the store.
 */
const SLICE_MS = 1_000;
/** A slice has as many tokens as the last requests would use in this time. */
const SLICE_COVERS_MS = 100;
/** Minimum time between two takes from an empty bucket. It bounds the look-ups that a flood of requests causes. */
const EMPTY_PAUSE_MS = 250;
/**
 * How long requests wait for the shared bucket. Then this process applies its own limit, so a slow store causes no
 * refusals.
 */
const TAKE_WITHIN_MS = 250;
const ALONE_MS = 1_000;
/**
 * While the bucket is at least half full, requests up to this share of the burst pass before their tokens are taken.
 */
const ADVANCED_SHARE = 0.01;
const MAX_TRIES = 5;
const MS_PER_S = 1_000;

type Key = {
  /** Bucket of this process only. It is the limit while the store does not answer. */
  readonly own: TokenBucket;
  /** Unused tokens, valid until `slice_until`. Negative: requests that passed before their token was taken. */
  slice: number;
  slice_until: number;
  level: number;
  told_at: number;
  empty_until: number;
  /** Requests since the last take; `waiting` counts the requests that wait for the next take. */
  asked: number;
  waiting: number;
  taking: Promise<void> | null;
};

/**
 * A token bucket for each key, shared by all processes of an API: `burst` requests at once, then `per_s` a second. A
 * process takes tokens in advance, so most requests do not wait for the store. The headers `RateLimit-Limit`,
 * `-Remaining` and `-Reset` have the burst, the tokens left, and the seconds until the bucket is full.
 */
export const openRateLimits = (
  { per_s, burst }: Values<typeof RATE_LIMITS>,
  shared: TakeFromSharedBucket,
  logger: Logger,
  clock: Clock,
): RateLimits => {
  const warn = throttledWarn(logger);
  const limit = String(burst);
  const most_advanced = Math.floor(burst * ADVANCED_SHARE);
  let alone_until = Number.NEGATIVE_INFINITY;

  const keys = new LRUCache<string, Key>({
    max: MAX_KEYS,
    memoMethod: () => {
      const own = new TokenBucket({ bucketSize: burst, tokensPerInterval: per_s, interval: 'second' });
      own.content = burst;
      const now = clock.monotonic();
      const nothing_taken = { slice: 0, slice_until: now, empty_until: now, asked: 0, waiting: 0, taking: null };
      return { own, level: burst, told_at: now, ...nothing_taken };
    },
  });

  const sharedContent = ({ level, told_at, slice }: Key): number =>
    Math.min(burst, level + slice + ((clock.monotonic() - told_at) * per_s) / MS_PER_S);

  const shareOf = (key: Key, allowed: boolean): RateLimitState => {
    const known = Math.max(0, Math.min(key.own.content, sharedContent(key)));
    const content = allowed ? known : Math.min(known, 1 - Number.EPSILON);
    return {
      allowed,
      headers: {
        'RateLimit-Limit': limit,
        'RateLimit-Remaining': String(Math.floor(content)),
        'RateLimit-Reset': String(Math.ceil((burst - content) / per_s)),
      },
      retry_after_s: Math.max(1, Math.ceil((1 - content) / per_s)),
    };
  };

  const takeSlice = async (key_id: string, key: Key): Promise<void> => {
    const began = clock.monotonic();
    const expected = (key.asked * SLICE_COVERS_MS) / Math.max(SLICE_COVERS_MS, began - key.told_at);
    const { waiting, slice: returned } = key;
    const wanted = Math.max(1, Math.min(Math.floor(key.own.content), Math.max(waiting, Math.floor(expected))));
    key.asked = 0;
    key.slice = 0;
    const ask = { waiting: Math.min(waiting, wanted), wanted, returned };
    const late = (): never => {
      throw new Error(`no answer within ${TAKE_WITHIN_MS} ms`);
    };
    try {
      const answer = await withTimeout(TAKE_WITHIN_MS, shared(key_id, ask), late, clock);
      if (answer === null) return;
      const now = clock.monotonic();
      key.slice += answer.taken;
      key.slice_until = began + SLICE_MS;
      key.level = answer.level;
      key.told_at = now;
      if (answer.level < 1) key.empty_until = now + EMPTY_PAUSE_MS;
    } catch (error) {
      alone_until = clock.monotonic() + ALONE_MS;
      warn({ error }, 'the shared rate limits in MongoDB are unavailable; this process applies its own limits');
    }
  };

  const take = (key_id: string, key: Key): Promise<void> => {
    key.taking ??= takeSlice(key_id, key).finally(() => {
      key.taking = null;
    });
    return key.taking;
  };

  const mayAdvance = (key: Key): boolean => key.slice - 1 >= -most_advanced && sharedContent(key) >= burst / 2;

  const isAllowed = async (key_id: string, key: Key): Promise<boolean> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const now = clock.monotonic();
      key.own.drip();
      if (key.own.content < 1) return false;
      if (now < alone_until) break;
      const has_slice = key.slice >= 1 && now < key.slice_until;
      if (has_slice || mayAdvance(key)) {
        key.slice -= 1;
        if (!has_slice) void take(key_id, key);
        break;
      }
      if (now < key.empty_until) return false;
      key.waiting += 1;
      await take(key_id, key);
      key.waiting -= 1;
    }
    return key.own.tryRemoveTokens(1);
  };

  return async (key_id) => {
    const key = keys.memo(key_id);
    key.asked += 1;
    return shareOf(key, await isAllowed(key_id, key));
  };
};
