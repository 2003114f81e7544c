/** Partitions that stop together are handed over in one rebalance. */
const HAND_OVER_MS = 1_000;

/** Partitions that this process cannot read, and the rebalance that assigns them to another process. */
export class HandOver {
  readonly #unreadable = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #is_due = false;

  /** Sent to the group at each join. */
  unreadable(): readonly string[] {
    return [...this.#unreadable];
  }

  /** @returns whether the partition is handed over for the first time */
  add(key: string): boolean {
    if (this.#unreadable.has(key)) return false;
    this.#unreadable.add(key);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#is_due = true;
    }, HAND_OVER_MS).unref();
    return true;
  }

  /**
   * Called at the begin of a fetch. If the fetch fails as for a rebalance, kafkajs joins again as the same member. Its
   * metadata has changed, so the broker lets the group assign its partitions again.
   */
  failFetchIfDue(): void {
    if (!this.#is_due) return;
    this.#is_due = false;
    throw Object.assign(new Error('partitions are handed over'), { type: 'REBALANCE_IN_PROGRESS' });
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }
}
