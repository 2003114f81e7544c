import { AddressConcurrencyLimiter, AddressRateLimiter, type QueuedWork } from './address-limits.ts';

/** Concurrent requests per address. The answers are large, and one address must not fill the memory. */
const AT_ONCE = 8;

export class PublicRequestLimiter {
  readonly #buckets: AddressRateLimiter;
  readonly #concurrency = new AddressConcurrencyLimiter(AT_ONCE);

  constructor(per_minute: number, now: () => number) {
    this.#buckets = new AddressRateLimiter(per_minute, now);
  }

  get retry_after_s(): number {
    return this.#buckets.retry_after_s;
  }

  admit(address: string): boolean {
    return this.#buckets.take(address);
  }

  queue<A>(address: string, work: () => Promise<A>, left: A): QueuedWork<A> {
    return this.#concurrency.queue(address, work, left);
  }
}
