import { FairQueue } from './fair-queue.ts';

/** Groups take turns. Their work uses at most a few milliseconds in each turn of the event loop. */
export class FairTurns<G> {
  readonly #budget_ms: number;
  readonly #now: () => number;
  readonly #queue = new FairQueue<G, () => void>();
  #spent_ms = 0;
  #is_working = false;
  #is_scheduled = false;

  /** @param budget_ms time in each turn; the last piece of work may exceed it */
  constructor(budget_ms: number, now: () => number) {
    this.#budget_ms = budget_ms;
    this.#now = now;
  }

  /** Runs the work at once if the queue is empty and the turn has time left. */
  add(group: G, work: () => void): void {
    this.#queue.add(group, work);
    if (!this.#is_working) this.#work();
  }

  #work(): void {
    this.#is_working = true;
    while (this.#spent_ms < this.#budget_ms) {
      const work = this.#queue.take();
      if (work === undefined) break;
      const began_ms = this.#now();
      work();
      this.#spent_ms += this.#now() - began_ms;
    }
    this.#is_working = false;
    this.#schedule();
  }

  /** The next budget begins after the other events of this turn. */
  #schedule(): void {
    if (this.#is_scheduled) return;
    this.#is_scheduled = true;
    setImmediate(() => {
      this.#is_scheduled = false;
      this.#spent_ms = 0;
      if (!this.#queue.isEmpty) this.#work();
    });
  }
}
