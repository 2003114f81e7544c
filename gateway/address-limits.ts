import { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';

const MOST_ADDRESSES = 10_000;

/** A rate limit for each address: a token bucket. */
export class AddressRateLimiter {
  readonly #per_minute: number;
  readonly #buckets = new LRUCache<string, TokenBucket>({ max: MOST_ADDRESSES });

  constructor(per_minute: number) {
    this.#per_minute = per_minute;
  }

  /** When the next token is added. */
  get retry_after_s(): number {
    return Math.max(1, Math.ceil(60 / this.#per_minute));
  }

  isEmpty(address: string): boolean {
    const bucket = this.#buckets.get(address);
    if (bucket === undefined) return false;
    bucket.drip();
    return bucket.content < 1;
  }

  /** @returns false where the bucket was empty */
  take(address: string): boolean {
    const bucket = this.#buckets.get(address) ?? this.#newBucket(address);
    return bucket.tryRemoveTokens(1);
  }

  #newBucket(address: string): TokenBucket {
    const per_minute = this.#per_minute;
    const bucket = new TokenBucket({ bucketSize: per_minute, tokensPerInterval: per_minute, interval: 'minute' });
    bucket.content = per_minute;
    this.#buckets.set(address, bucket);
    return bucket;
  }
}

/** A concurrency limit for each address. */
export class AddressConcurrencyLimiter {
  readonly #at_once: number;
  readonly #limits = new Map<string, LimitFunction>();

  constructor(at_once: number) {
    this.#at_once = at_once;
  }

  pendingCount(address: string): number {
    return this.#limits.get(address)?.pendingCount ?? 0;
  }

  /** Runs the work as soon as the address has fewer running; first come, first served. */
  run<A>(address: string, work: () => Promise<A>): Promise<A> {
    const limit = this.#limits.get(address) ?? pLimit(this.#at_once);
    this.#limits.set(address, limit);
    return limit(work).finally(() => {
      if (limit.activeCount === 0 && limit.pendingCount === 0) this.#limits.delete(address);
    });
  }
}
