import { FairQueue } from '../platform/http-server/fair-queue.ts';

/**
 * Requests without credentials. One is handled in each turn of the event loop, of one address after another: so many of
 * them delay a request with a key by little, and those of one address delay those of another by little.
 */
export class KeylessQueue {
  readonly #waiting = new FairQueue<string, () => void>();
  #is_scheduled = false;

  add(address: string, handle: () => void): void {
    this.#waiting.add(address, handle);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#is_scheduled || this.#waiting.isEmpty) return;
    this.#is_scheduled = true;
    setImmediate(() => {
      this.#is_scheduled = false;
      this.#handleOne();
    });
  }

  #handleOne(): void {
    const handle = this.#waiting.take();
    this.#schedule();
    handle?.();
  }
}
