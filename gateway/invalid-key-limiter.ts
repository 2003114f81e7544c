import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { apiKeyHash, bearerToken } from '../domain/access/api-key.ts';
import { sha256Hex } from '../platform/access/sha256.ts';
import { AddressConcurrencyLimiter, AddressRateLimiter } from './address-limits.ts';

const MOST_KEYS = 10_000;
/** An accepted key passes the gateway for so long; the API still refuses it once it is revoked. */
const ACCEPTED_MS = 600_000;
/** Short: a key that is issued a moment later must be let in. */
const REFUSED_MS = 2_000;
/** Keys of one address that are checked at a time, once it is over its limit. */
const CHECKED_AT_ONCE = 4;

/** What to do with a request: forward it, forward it through the concurrency limiter, or answer 429. */
export type Admission = 'pass' | 'check' | 'refuse';

/** Hash of a request's key, the same however the header is spaced; null without one. Keys themselves are not kept. */
export const keyFingerprint = (authorization: string | undefined): string | null =>
  authorization === undefined ? null : hash('sha256', bearerToken(authorization) ?? authorization, 'base64');

/** Whether it has the form of a key, with its checksum. */
export const isWellFormedKey = (authorization: string | undefined): boolean => {
  const token = bearerToken(authorization);
  return token !== null && apiKeyHash(token, sha256Hex) !== null;
};

/**
 * Limits the requests of one address that have no valid key. A valid key must pass, even a new one, whatever other
 * clients of the same address send. So an address over its limit is not blocked: the gateway refuses only keys that
 * are malformed or were refused just now. The API still checks well-formed keys, a few of each address at a time, first
 * come, first served; those that it refuses are answered 429.
 */
export class InvalidKeyLimiter {
  readonly #most_waiting: number;
  readonly #buckets: AddressRateLimiter;
  readonly #accepted = new LRUCache<string, true>({ max: MOST_KEYS, ttl: ACCEPTED_MS });
  readonly #refused = new LRUCache<string, true>({ max: MOST_KEYS, ttl: REFUSED_MS });
  readonly #concurrency = new AddressConcurrencyLimiter(CHECKED_AT_ONCE);

  /** @param most_waiting queued keys of one address: fewer than it may have connections */
  constructor(per_minute: number, most_waiting: number) {
    this.#most_waiting = most_waiting;
    this.#buckets = new AddressRateLimiter(per_minute);
  }

  /** When the next invalid key will be answered 401 again. */
  get retry_after_s(): number {
    return this.#buckets.retry_after_s;
  }

  admit(address: string, authorization: string | undefined, fingerprint: string | null): Admission {
    if (!this.#buckets.isEmpty(address) || (fingerprint !== null && this.#accepted.has(fingerprint))) return 'pass';
    if (fingerprint === null || this.#refused.has(fingerprint)) return 'refuse';
    if (!this.hasQueueRoom(address)) return 'refuse';
    return isWellFormedKey(authorization) ? 'check' : 'refuse';
  }

  /** Connections with a queued key are not evicted, so these must not be all that an address may have. */
  hasQueueRoom(address: string): boolean {
    return this.#concurrency.pendingCount(address) < this.#most_waiting;
  }

  /** Runs the work when fewer of the address are running. */
  run<A>(address: string, work: () => Promise<A>): Promise<A> {
    return this.#concurrency.run(address, work);
  }

  accept(fingerprint: string): void {
    this.#accepted.set(fingerprint, true);
  }

  refuse(address: string, fingerprint: string | null): void {
    if (fingerprint !== null) {
      this.#accepted.delete(fingerprint);
      this.#refused.set(fingerprint, true);
    }
    this.#buckets.take(address);
  }

  /** The client disconnected before the answer: counts as an invalid key, unless this one was accepted before. */
  abandon(address: string, fingerprint: string | null): void {
    if (fingerprint === null || !this.#accepted.has(fingerprint)) this.#buckets.take(address);
  }
}
