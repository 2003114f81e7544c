import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { apiKeyHash, bearerToken } from '../domain/access/api-key.ts';
import { sha256Hex } from '../platform/access/sha256.ts';
import { AddressConcurrencyLimiter, AddressRateLimiter, type Turn } from './address-limits.ts';

const MAX_KEYS = 10_000;
/** How long the gateway lets an accepted key pass. The API still refuses it after its revocation. */
const ACCEPTED_MS = 600_000;
/** Short, because a key that is issued a moment later must work. */
const REFUSED_MS = 2_000;
/** Concurrent key checks of one address that is over its limit. */
const CHECKED_AT_ONCE = 4;

/** `pass` forwards the request, `check` forwards it through the concurrency limiter, and `refuse` answers 429. */
export type Admission = 'pass' | 'check' | 'refuse';

/**
 * Hash of a request's key, independent of white space in the header; null without a key. Keys themselves are not
 * stored.
 */
export const keyFingerprint = (authorization: string | undefined): string | null =>
  authorization === undefined ? null : hash('sha256', bearerToken(authorization) ?? authorization, 'base64');

/** Whether it has the form of a key, with its checksum. */
export const isWellFormedKey = (authorization: string | undefined): boolean => {
  const token = bearerToken(authorization);
  return token !== null && apiKeyHash(token, sha256Hex) !== null;
};

/**
 * Limits the requests of one address without a valid key. A valid key must pass, even a new one, despite other clients
 * of the same address. An address over its limit is therefore not blocked. The gateway refuses only keys that are
 * malformed or were refused just now. The API checks well-formed keys, a few of each address at a time, in order of
 * arrival. Requests with a key that it refuses get 429.
 */
export class InvalidKeyLimiter {
  readonly #most_kept: number;
  readonly #buckets: AddressRateLimiter;
  readonly #accepted = new LRUCache<string, true>({ max: MAX_KEYS, ttl: ACCEPTED_MS });
  readonly #refused = new LRUCache<string, true>({ max: MAX_KEYS, ttl: REFUSED_MS });
  readonly #concurrency = new AddressConcurrencyLimiter(CHECKED_AT_ONCE);

  /** @param most_kept maximum of connections of one address with waiting keys; below the address's connection limit */
  constructor(per_minute: number, most_kept: number, now: () => number) {
    this.#most_kept = most_kept;
    this.#buckets = new AddressRateLimiter(per_minute, now);
  }

  /** Seconds until the next invalid key gets 401 again. */
  get retry_after_s(): number {
    return this.#buckets.retry_after_s;
  }

  admit(address: string, authorization: string | undefined, fingerprint: string | null): Admission {
    if (!this.#buckets.isEmpty(address) || (fingerprint !== null && this.#accepted.has(fingerprint))) return 'pass';
    if (fingerprint === null || this.#refused.has(fingerprint)) return 'refuse';
    return isWellFormedKey(authorization) ? 'check' : 'refuse';
  }

  /**
   * Whether a connection with a newly waiting key stays open. Some of the address's connections stay free, so that a
   * client with an accepted key can connect.
   */
  keepsWaiting(address: string): boolean {
    return this.#concurrency.waitingCount(address) < this.#most_kept;
  }

  /** Runs the work when the address has a free slot. */
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

  /** The client disconnected before the answer. This counts as an invalid key, unless the key was accepted before. */
  abandon(address: string, fingerprint: string | null): void {
    if (fingerprint === null || !this.#accepted.has(fingerprint)) this.#buckets.take(address);
  }
}
