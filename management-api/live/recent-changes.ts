import type { StreamPositions } from './event-id.ts';

/** A changed render, and the log position of its record in `render-status`. */
export type RenderChange = {
  readonly partition: number;
  readonly offset: number;
  readonly render_id: string;
  readonly project_id: string;
  readonly team_id: string;
  readonly account_id: string;
};

/** The offsets of one partition whose changes are all known: `complete_from` <= offset < `next`. */
type Reach = { complete_from: number; next: number; readonly caught_up_at: number };

export class RecentChanges {
  readonly #most: number;
  readonly #reaches = new Map<number, Reach>();
  #partitions: number | null = null;
  /** Oldest first. Entries before `#first` are dropped. */
  #changes: RenderChange[] = [];
  #first = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Until every partition is known, {@link positions} is null.
   *
   * @param count number of partitions of the topic
   */
  hasPartitions(count: number): void {
    this.#partitions = count;
  }

  /**
   * Starts or restarts reading a partition at `start`.
   *
   * @param end the end of the partition at this moment
   */
  begin(partition: number, start: number, end: number): void {
    this.#changes = this.#kept().filter((change) => change.partition !== partition);
    this.#first = 0;
    this.#reaches.set(partition, { complete_from: start, next: start, caught_up_at: end });
  }

  nextOf(partition: number): number | undefined {
    return this.#reaches.get(partition)?.next;
  }

  /**
   * Call this for each record that was read.
   *
   * @returns false if the record was already read before
   */
  passed(partition: number, offset: number, change: RenderChange | null): boolean {
    const reach = this.#reaches.get(partition);
    if (reach === undefined || offset < reach.next) return false;
    reach.next = offset + 1;
    if (change === null) return true;
    this.#changes.push(change);
    if (this.#changes.length - this.#first > this.#most) this.#forgetOldest();
    return true;
  }

  /** Call this if a change may be missing: listeners that resume before this position need a reset. */
  lacks(partition: number): void {
    const reach = this.#reaches.get(partition);
    if (reach !== undefined) reach.complete_from = reach.next;
  }

  /** The next offset of each partition. Null until each has been read up to the end that it had when reading began. */
  positions(): StreamPositions | null {
    if (this.#partitions === null) return null;
    const positions: number[] = [];
    for (let partition = 0; partition < this.#partitions; partition += 1) {
      const reach = this.#reaches.get(partition);
      if (reach === undefined || reach.next < reach.caught_up_at) return null;
      positions.push(reach.next);
    }
    return positions;
  }

  /**
   * The changed renders of an account since these positions, each once, in the order of their last change.
   *
   * @returns null if a change may be missing, or if there are more than `most`
   */
  since(account_id: string, positions: StreamPositions, most: number): readonly RenderChange[] | null {
    if (positions.length !== this.#partitions) return null;
    const isComplete = positions.every((position, partition) => {
      const reach = this.#reaches.get(partition);
      return reach !== undefined && position >= reach.complete_from;
    });
    if (!isComplete) return null;
    const newest = new Map<string, RenderChange>();
    for (const change of this.#kept()) {
      if (change.account_id !== account_id || change.offset < (positions[change.partition] ?? 0)) continue;
      newest.delete(change.render_id);
      newest.set(change.render_id, change);
    }
    return newest.size > most ? null : [...newest.values()];
  }

  #kept(): readonly RenderChange[] {
    return this.#changes.slice(this.#first);
  }

  #forgetOldest(): void {
    const oldest = this.#changes[this.#first];
    if (oldest === undefined) return;
    this.#first += 1;
    const reach = this.#reaches.get(oldest.partition);
    if (reach !== undefined) reach.complete_from = Math.max(reach.complete_from, oldest.offset + 1);
    if (this.#first < this.#most) return;
    this.#changes = this.#changes.slice(this.#first);
    this.#first = 0;
  }
}
