import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { apiKeyHash, bearerToken } from '../domain/access/api-key.ts';
import { sha256Hex } from '../platform/access/sha256.ts';
import { AddressConcurrencyLimiter, AddressRateLimiter } from './address-limits.ts';

const MOST_KEYS = 10_000;
/** A key that was accepted is let through unchecked that long; the API refuses it all the same once it is revoked. */
const ACCEPTED_MS = 600_000;
/** Short: what is issued a moment later must be let in. */
const REFUSED_MS = 2_000;
/** Keys of one address that are checked at once, once it is limited. */
const CHECKED_AT_ONCE = 4;

/** What to do with a request: pass it on, pass it on in its turn, or answer 429. */
export type Admission = 'pass' | 'check' | 'refuse';

/** What stands for the key of a request here, however it is spaced; null without one. Keys themselves are not kept. */
export const keyFingerprint = (authorization: string | undefined): string | null =>
  authorization === undefined ? null : hash('sha256', bearerToken(authorization) ?? authorization, 'base64');

/** Whether it has the form of a key, with its checksum. */
export const isWellFormedKey = (authorization: string | undefined): boolean => {
  const token = bearerToken(authorization);
  return token !== null && apiKeyHash(token, sha256Hex) !== null;
};

/**
 * Limits how many requests with keys that are not valid one address may make. A valid key must get in whoever else is
 * behind the same address, also one that was never seen here. So an address beyond its limit is not shut out: only what
 * cannot be valid, or was refused just now, is refused here. Keys that may be valid are still checked by the API, of
 * each address few at once and in the order in which they came; what the API then refuses is told 429.
 */
export class InvalidKeyLimiter {
  readonly #most_waiting: number;
  readonly #buckets: AddressRateLimiter;
  readonly #accepted = new LRUCache<string, true>({ max: MOST_KEYS, ttl: ACCEPTED_MS });
  readonly #refused = new LRUCache<string, true>({ max: MOST_KEYS, ttl: REFUSED_MS });
  readonly #concurrency = new AddressConcurrencyLimiter(CHECKED_AT_ONCE);

  /** @param most_waiting keys of one address that wait to be checked: fewer than it may have connections */
  constructor(per_minute: number, most_waiting: number) {
    this.#most_waiting = most_waiting;
    this.#buckets = new AddressRateLimiter(per_minute);
  }

  /** When the next one will be answered as what it is. */
  get retry_after_s(): number {
    return this.#buckets.retry_after_s;
  }

  admit(address: string, authorization: string | undefined, fingerprint: string | null): Admission {
    if (!this.#buckets.isEmpty(address) || (fingerprint !== null && this.#accepted.has(fingerprint))) return 'pass';
    if (fingerprint === null || this.#refused.has(fingerprint)) return 'refuse';
    if (!this.hasQueueRoom(address)) return 'refuse';
    return isWellFormedKey(authorization) ? 'check' : 'refuse';
  }

  /** Connections whose keys are being checked are not closed. If all of an address were, no other could connect. */
  hasQueueRoom(address: string): boolean {
    return this.#concurrency.pendingCount(address) < this.#most_waiting;
  }

  /** Waits for a turn of the address. */
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

  /** Whoever does not wait for its answer has not shown a valid key either, unless it had before. */
  abandon(address: string, fingerprint: string | null): void {
    if (fingerprint === null || !this.#accepted.has(fingerprint)) this.#buckets.take(address);
  }
}
