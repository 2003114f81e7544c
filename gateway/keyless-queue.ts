import { FairQueue } from '../platform/http-server/fair-queue.ts';

/**
 * Requests without credentials. Each turn of the event loop handles one of them, and the addresses take turns. Many
 * such requests therefore delay requests with a key, and those of other addresses, only a little.
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
