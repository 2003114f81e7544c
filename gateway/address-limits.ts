import { LRUCache } from 'lru-cache';

const MAX_ADDRESSES = 10_000;

const MINUTE_MS = 60_000;

type Bucket = { tokens: number; at_ms: number };

/** A token bucket per address. */
export class AddressRateLimiter {
  readonly #per_minute: number;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_ADDRESSES });

  constructor(per_minute: number, now: () => number) {
    this.#per_minute = per_minute;
    this.#now = now;
  }

  get retry_after_s(): number {
    return Math.max(1, Math.ceil(60 / this.#per_minute));
  }

  isEmpty(address: string): boolean {
    return this.#buckets.has(address) && this.#bucketOf(address).tokens < 1;
  }

  take(address: string): boolean {
    const bucket = this.#bucketOf(address);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** The bucket of an address, with the tokens that were added since its last use. */
  #bucketOf(address: string): Bucket {
    const now_ms = this.#now();
    const bucket = this.#buckets.get(address) ?? { tokens: this.#per_minute, at_ms: now_ms };
    const added = ((now_ms - bucket.at_ms) / MINUTE_MS) * this.#per_minute;
    bucket.tokens = Math.min(this.#per_minute, bucket.tokens + added);
    bucket.at_ms = now_ms;
    this.#buckets.set(address, bucket);
    return bucket;
  }
}

export type QueuedWork<A> = {
  readonly result: Promise<A>;
  /** Removes the work from the queue if it has not begun. `result` is then the parameter `left` of `queue`. */
  readonly leave: () => void;
};

type Line = { running: number; readonly waiting: Set<() => void> };

export class AddressConcurrencyLimiter {
  readonly #at_once: number;
  readonly #lines = new Map<string, Line>();

  constructor(at_once: number) {
    this.#at_once = at_once;
  }

  waitingCount(address: string): number {
    return this.#lines.get(address)?.waiting.size ?? 0;
  }

  /**
   * Runs the work of an address in order of arrival, a few at a time.
   *
   * @param left the result if the client disconnects before the work begins
   */
  queue<A>(address: string, work: () => Promise<A>, left: A): QueuedWork<A> {
    const line = this.#lines.get(address) ?? { running: 0, waiting: new Set() };
    this.#lines.set(address, line);
    const { promise, resolve, reject } = Promise.withResolvers<A>();
    const begin = (): void => {
      line.running += 1;
      work()
        .then(resolve, reject)
        .finally(() => this.#afterOne(address, line));
    };
    if (line.running < this.#at_once) begin();
    else line.waiting.add(begin);
    const leave = (): void => {
      line.waiting.delete(begin);
      resolve(left);
    };
    return { result: promise, leave };
  }

  #afterOne(address: string, line: Line): void {
    line.running -= 1;
    const [next] = line.waiting;
    if (next !== undefined) {
      line.waiting.delete(next);
      next();
    } else if (line.running === 0) this.#lines.delete(address);
  }
}
