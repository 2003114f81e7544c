import { hash } from 'node:crypto';
import { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import { apiKeyHash, bearerToken } from '../../domain/access/api-key.ts';
import { sha256Hex } from '../../platform/access/sha256.ts';

const MOST_ADDRESSES = 10_000;
const MOST_KEYS = 10_000;
/** A key that was accepted is let through unchecked that long; the API refuses it all the same once it is revoked. */
const ACCEPTED_MS = 600_000;
/** Short: what is issued a moment later must be let in. */
const REFUSED_MS = 2_000;
/** Keys of one address that are checked at once, once it is limited. */
const CHECKED_AT_ONCE = 4;

/** What to do with a request: pass it on, pass it on in its turn, or answer 429. */
export type Verdict = 'pass' | 'check' | 'refuse';

/** What stands for the key of a request here, however it is spaced; null without one. Keys themselves are not kept. */
export const keyMark = (authorization: string | undefined): string | null =>
  authorization === undefined ? null : hash('sha256', bearerToken(authorization) ?? authorization, 'base64');

/** Whether it has the form of a key, with its checksum. */
export const mayBeValid = (authorization: string | undefined): boolean => {
  const token = bearerToken(authorization);
  return token !== null && apiKeyHash(token, sha256Hex) !== null;
};

/**
 * Limits how many requests with keys that are not valid one address may make. A valid key must get in whoever else is
 * behind the same address, also one that was never seen here. So an address beyond its limit is not shut out: only what
 * cannot be valid, or was refused just now, is refused here. Keys that may be valid are still checked by the API, of
 * each address few at once and in the order in which they came; what the API then refuses is told 429.
 */
export class RefusedKeys {
  readonly #per_minute: number;
  readonly #most_waiting: number;
  readonly #buckets: LRUCache<string, TokenBucket>;
  readonly #accepted = new LRUCache<string, true>({ max: MOST_KEYS, ttl: ACCEPTED_MS });
  readonly #refused = new LRUCache<string, true>({ max: MOST_KEYS, ttl: REFUSED_MS });
  readonly #lanes = new Map<string, LimitFunction>();

  /** @param most_waiting keys of one address that wait to be checked: fewer than it may have connections */
  constructor(per_minute: number, most_waiting: number) {
    this.#per_minute = per_minute;
    this.#most_waiting = most_waiting;
    this.#buckets = new LRUCache({ max: MOST_ADDRESSES });
  }

  /** When the next one will be answered as what it is. */
  get retry_after_s(): number {
    return Math.max(1, Math.ceil(60 / this.#per_minute));
  }

  judge(address: string, authorization: string | undefined, mark: string | null): Verdict {
    const bucket = this.#buckets.get(address);
    if (bucket === undefined) return 'pass';
    bucket.drip();
    if (bucket.content >= 1 || (mark !== null && this.#accepted.has(mark))) return 'pass';
    if (mark === null || this.#refused.has(mark)) return 'refuse';
    // Connections whose keys wait make room for nobody: were it all of the address, no other would get in.
    if ((this.#lanes.get(address)?.pendingCount ?? 0) >= this.#most_waiting) return 'refuse';
    return mayBeValid(authorization) ? 'check' : 'refuse';
  }

  /** Waits for a turn of the address. */
  inTurn<A>(address: string, work: () => Promise<A>): Promise<A> {
    const lane = this.#lanes.get(address) ?? pLimit(CHECKED_AT_ONCE);
    this.#lanes.set(address, lane);
    return lane(work).finally(() => {
      if (lane.activeCount === 0 && lane.pendingCount === 0) this.#lanes.delete(address);
    });
  }

  accept(mark: string): void {
    this.#accepted.set(mark, true);
  }

  refuse(address: string, mark: string | null): void {
    if (mark !== null) {
      this.#accepted.delete(mark);
      this.#refused.set(mark, true);
    }
    this.#take(address);
  }

  /** Whoever does not wait for its answer has not shown a valid key either, unless it had before. */
  left(address: string, mark: string | null): void {
    if (mark === null || !this.#accepted.has(mark)) this.#take(address);
  }

  #take(address: string): void {
    const bucket = this.#buckets.get(address) ?? this.#newBucket(address);
    bucket.tryRemoveTokens(1);
  }

  #newBucket(address: string): TokenBucket {
    const per_minute = this.#per_minute;
    const bucket = new TokenBucket({ bucketSize: per_minute, tokensPerInterval: per_minute, interval: 'minute' });
    bucket.content = per_minute;
    this.#buckets.set(address, bucket);
    return bucket;
  }
}
