/** Lets one after the other in, in the order in which they came. */
export class Turns {
  #taken = false;
  readonly #waiting: (() => void)[] = [];

  get taken(): boolean {
    return this.#taken;
  }

  /** Null where it is one's turn at once, which is the rule. */
  take(): Promise<void> | null {
    if (!this.#taken) {
      this.#taken = true;
      return null;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Ends a turn; the next one begins. */
  pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}
