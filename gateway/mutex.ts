/** Waiters get the mutex in order of arrival. */
export class Mutex {
  #locked = false;
  readonly #waiting: (() => void)[] = [];

  get locked(): boolean {
    return this.#locked;
  }

  /** Null if the mutex was free, the usual case; else resolves when it is acquired. */
  acquire(): Promise<void> | null {
    if (!this.#locked) {
      this.#locked = true;
      return null;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Passes the mutex to the next in line. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#locked = false;
    else next();
  }
}
