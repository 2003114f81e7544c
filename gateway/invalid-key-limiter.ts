import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { apiKeyHash, bearerToken } from '../domain/access/api-key.ts';
import { sha256Hex } from '../platform/access/sha256.ts';
import { AddressConcurrencyLimiter, AddressRateLimiter, type QueuedWork } from './address-limits.ts';

const MAX_KEYS = 10_000;
/** How long a key passes after the API accepted it. After its revocation, the API refuses the key. */
const ACCEPTED_MS = 600_000;
/** How long a refused key is remembered. The time is short, because a key that is issued a moment later must work. */
const REFUSED_MS = 2_000;
/** Concurrent key checks per address over its limit. */
const CHECKED_AT_ONCE = 4;

/** `check` forwards the request through the concurrency limiter, `refuse` answers 429. */
export type KeyAdmission = 'pass' | 'check' | 'refuse';

/** A hash of the key, without white space in the header; null without a key. The gateway stores only these hashes. */
export const keyFingerprint = (authorization: string | undefined): string | null =>
  authorization === undefined ? null : hash('sha256', bearerToken(authorization) ?? authorization, 'base64');

/** Whether the key has the right form and checksum. It may still be unknown to the API. */
export const isWellFormedKey = (authorization: string | undefined): boolean => {
  const token = bearerToken(authorization);
  return token !== null && apiKeyHash(token, sha256Hex) !== null;
};

/**
 * Limits requests of one address without a valid key. Valid keys must pass, even new ones and whatever other clients of
 * the address do. So an address over its limit is not blocked: the gateway refuses only malformed and recently refused
 * keys. The API checks other keys, a few per address at a time, in order of arrival. If it refuses a key, the request
 * gets 429.
 */
export class InvalidKeyLimiter {
  readonly #most_kept: number;
  readonly #buckets: AddressRateLimiter;
  readonly #accepted = new LRUCache<string, true>({ max: MAX_KEYS, ttl: ACCEPTED_MS });
  readonly #refused = new LRUCache<string, true>({ max: MAX_KEYS, ttl: REFUSED_MS });
  readonly #concurrency = new AddressConcurrencyLimiter(CHECKED_AT_ONCE);

  /**
   * @param most_kept how many connections of an address are kept while their keys wait for a check; less than the
   * address's limit of connections
   */
  constructor(per_minute: number, most_kept: number, now: () => number) {
    this.#most_kept = most_kept;
    this.#buckets = new AddressRateLimiter(per_minute, now);
  }

  get retry_after_s(): number {
    return this.#buckets.retry_after_s;
  }

  admit(address: string, authorization: string | undefined, fingerprint: string | null): KeyAdmission {
    if (!this.#buckets.isEmpty(address) || (fingerprint !== null && this.#accepted.has(fingerprint))) return 'pass';
    if (fingerprint === null || this.#refused.has(fingerprint)) return 'refuse';
    return isWellFormedKey(authorization) ? 'check' : 'refuse';
  }

  /**
   * Whether a waiting connection of this address is kept. False beyond `most_kept`, so that some connections stay free
   * for clients with an accepted key.
   */
  keepsWaiting(address: string): boolean {
    return this.#concurrency.waitingCount(address) < this.#most_kept;
  }

  queue<A>(address: string, work: () => Promise<A>, left: A): QueuedWork<A> {
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

  /**
   * Call this if the client disconnects before the answer. The request then counts as one with an invalid key, unless
   * the key was accepted before.
   */
  abandon(address: string, fingerprint: string | null): void {
    if (fingerprint === null || !this.#accepted.has(fingerprint)) this.#buckets.take(address);
  }
}
