/** A render that could be given to a worker now. */
export type Waiting = { readonly render_id: string; readonly account_id: string; readonly created_at: number };

/** What fairness looks at: attempts that run for each account, and its last turn (a counter; absent = never). */
export type Shares = {
  readonly running: ReadonlyMap<string, number>;
  readonly last_turn: ReadonlyMap<string, number>;
  /** At most this many attempts of one account at the same time. */
  readonly account_cap: number;
};

const byAge = (a: Waiting, b: Waiting): number =>
  a.created_at - b.created_at || (a.render_id < b.render_id ? -1 : a.render_id > b.render_id ? 1 : 0);

/**
 * Round-robin between accounts: the account whose last turn is longest ago comes first, with its oldest render.
 * An account at its cap is passed over.
 *
 * @returns at most `count` renders, in the order in which they are to be assigned
 */
export const fairOrder = (waiting: readonly Waiting[], shares: Shares, count: number): readonly Waiting[] => {
  const queues = new Map<string, Waiting[]>();
  for (const render of [...waiting].sort(byAge)) {
    const queue = queues.get(render.account_id);
    if (queue === undefined) queues.set(render.account_id, [render]);
    else queue.push(render);
  }
  const ring = [...queues.entries()]
    .map(([account_id, queue]) => ({
      queue,
      room: shares.account_cap - (shares.running.get(account_id) ?? 0),
      turn: shares.last_turn.get(account_id) ?? -1,
    }))
    .sort((a, b) => a.turn - b.turn);

  const order: Waiting[] = [];
  for (let round = 0; order.length < count; round += 1) {
    const taken = ring.flatMap(({ queue, room }) => (round < room ? queue.slice(round, round + 1) : []));
    if (taken.length === 0) break;
    order.push(...taken.slice(0, count - order.length));
  }
  return order;
};
