/**
 * Requests without credentials. One is handled in each turn of the event loop, of one address after another: so many of
 * them delay a request with a key by little, and those of one address delay those of another by little.
 */
export class KeylessQueue {
  /** By address, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #is_scheduled = false;

  add(address: string, handle: () => void): void {
    const waiting = this.#waiting.get(address);
    if (waiting === undefined) this.#waiting.set(address, [handle]);
    else waiting.push(handle);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#is_scheduled || this.#waiting.size === 0) return;
    this.#is_scheduled = true;
    setImmediate(() => {
      this.#is_scheduled = false;
      this.#handleOne();
    });
  }

  #handleOne(): void {
    const [turn] = this.#waiting;
    if (turn === undefined) return;
    const [address, waiting] = turn;
    const handle = waiting.shift();
    this.#waiting.delete(address);
    if (waiting.length > 0) this.#waiting.set(address, waiting);
    this.#schedule();
    handle?.();
  }
}
