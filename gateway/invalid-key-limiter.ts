import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { apiKeyHash, bearerToken } from '../domain/access/api-key.ts';
import { sha256Hex } from '../platform/access/sha256.ts';
import { AddressConcurrencyLimiter, AddressRateLimiter, type Turn } from './address-limits.ts';

const MAX_KEYS = 10_000;
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
  readonly #most_kept: number;
  readonly #buckets: AddressRateLimiter;
  readonly #accepted = new LRUCache<string, true>({ max: MAX_KEYS, ttl: ACCEPTED_MS });
  readonly #refused = new LRUCache<string, true>({ max: MAX_KEYS, ttl: REFUSED_MS });
  readonly #concurrency = new AddressConcurrencyLimiter(CHECKED_AT_ONCE);

  /** @param most_kept connections of one address whose keys wait: fewer than it may have */
  constructor(per_minute: number, most_kept: number, now: () => number) {
    this.#most_kept = most_kept;
    this.#buckets = new AddressRateLimiter(per_minute, now);
  }

  /** When the next invalid key will be answered 401 again. */
  get retry_after_s(): number {
    return this.#buckets.retry_after_s;
  }

  admit(address: string, authorization: string | undefined, fingerprint: string | null): Admission {
    if (!this.#buckets.isEmpty(address) || (fingerprint !== null && this.#accepted.has(fingerprint))) return 'pass';
    if (fingerprint === null || this.#refused.has(fingerprint)) return 'refuse';
    return isWellFormedKey(authorization) ? 'check' : 'refuse';
  }

  /**
   * Whether the connection of a key that waits from now on is kept. Not all that an address may have are: then a client
   * with an accepted key could not connect.
   */
  keepsWaiting(address: string): boolean {
    return this.#concurrency.waitingCount(address) < this.#most_kept;
  }

  /** Runs the work when fewer of the address are running. */
  queue<A>(address: string, work: () => Promise<A>, left: A): Turn<A> {
    return this.#concurrency.queue(address, work, left);
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
