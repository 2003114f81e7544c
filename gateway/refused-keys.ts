import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { apiKeyHash, bearerToken } from '../domain/access/api-key.ts';
import { sha256Hex } from '../platform/access/sha256.ts';
import { AddressBuckets, AddressLanes } from './address-limits.ts';

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
  readonly #most_waiting: number;
  readonly #buckets: AddressBuckets;
  readonly #accepted = new LRUCache<string, true>({ max: MOST_KEYS, ttl: ACCEPTED_MS });
  readonly #refused = new LRUCache<string, true>({ max: MOST_KEYS, ttl: REFUSED_MS });
  readonly #lanes = new AddressLanes(CHECKED_AT_ONCE);

  /** @param most_waiting keys of one address that wait to be checked: fewer than it may have connections */
  constructor(per_minute: number, most_waiting: number) {
    this.#most_waiting = most_waiting;
    this.#buckets = new AddressBuckets(per_minute);
  }

  /** When the next one will be answered as what it is. */
  get retry_after_s(): number {
    return this.#buckets.retry_after_s;
  }

  judge(address: string, authorization: string | undefined, mark: string | null): Verdict {
    if (!this.#buckets.isEmpty(address) || (mark !== null && this.#accepted.has(mark))) return 'pass';
    if (mark === null || this.#refused.has(mark)) return 'refuse';
    if (!this.mayWait(address)) return 'refuse';
    return mayBeValid(authorization) ? 'check' : 'refuse';
  }

  /** Connections whose keys are being checked are not closed. If all of an address were, no other could connect. */
  mayWait(address: string): boolean {
    return this.#lanes.waiting(address) < this.#most_waiting;
  }

  /** Waits for a turn of the address. */
  inTurn<A>(address: string, work: () => Promise<A>): Promise<A> {
    return this.#lanes.inTurn(address, work);
  }

  accept(mark: string): void {
    this.#accepted.set(mark, true);
  }

  refuse(address: string, mark: string | null): void {
    if (mark !== null) {
      this.#accepted.delete(mark);
      this.#refused.set(mark, true);
    }
    this.#buckets.take(address);
  }

  /** Whoever does not wait for its answer has not shown a valid key either, unless it had before. */
  left(address: string, mark: string | null): void {
    if (mark === null || !this.#accepted.has(mark)) this.#buckets.take(address);
  }
}
