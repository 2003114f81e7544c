/** Lets one after the other in, in the order in which they came. */
export class Mutex {
  #locked = false;
  readonly #waiting: (() => void)[] = [];

  get locked(): boolean {
    return this.#locked;
  }

  /** Null where it is one's turn at once, which is the rule. */
  acquire(): Promise<void> | null {
    if (!this.#locked) {
      this.#locked = true;
      return null;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Ends a turn; the next one begins. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#locked = false;
    else next();
  }
}
