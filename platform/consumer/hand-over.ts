/** Partitions that become unreadable within this time are handed over in one rebalance. */
const HAND_OVER_MS = 1_000;

/** Partitions that this process cannot read. A rebalance assigns them to another process. */
export class HandOver {
  readonly #unreadable = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #is_due = false;

  /** Each join sends these partitions to the group. */
  unreadable(): readonly string[] {
    return [...this.#unreadable];
  }

  add(key: string): boolean {
    if (this.#unreadable.has(key)) return false;
    this.#unreadable.add(key);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#is_due = true;
    }, HAND_OVER_MS).unref();
    return true;
  }

  /** Fails a fetch as a rebalance would. kafkajs then joins again, and its new metadata makes the broker rebalance. */
  failFetchIfDue(): void {
    if (!this.#is_due) return;
    this.#is_due = false;
    throw Object.assign(new Error('partitions are handed over'), { type: 'REBALANCE_IN_PROGRESS' });
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }
}
