export type Condition = { readonly met: Promise<void>; readonly cancel: () => void };

/** Waits until a state meets a condition. The owner of the state calls `check` after each change. */
export class ConditionWaiters {
  readonly #waiting = new Map<() => boolean, () => void>();

  until(holds: () => boolean): Condition {
    const { promise: met, resolve } = Promise.withResolvers<void>();
    if (holds()) resolve();
    else this.#waiting.set(holds, resolve);
    return { met, cancel: () => this.#waiting.delete(holds) };
  }

  check(): void {
    for (const [holds, resolve] of this.#waiting) {
      if (!holds()) continue;
      this.#waiting.delete(holds);
      resolve();
    }
  }
}
