/** A round-robin queue: groups take turns, so a group with many items delays other groups only a little. */
export class FairQueue<G, A> {
  /** Items by group, in the order of the groups' turns. */
  readonly #waiting = new Map<G, A[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(group: G, item: A): void {
    const waiting = this.#waiting.get(group);
    if (waiting === undefined) this.#waiting.set(group, [item]);
    else waiting.push(item);
  }

  take(): A | undefined {
    const [turn] = this.#waiting;
    if (turn === undefined) return undefined;
    const [group, waiting] = turn;
    const item = waiting.shift();
    this.#waiting.delete(group);
    if (waiting.length > 0) this.#waiting.set(group, waiting);
    return item;
  }
}
