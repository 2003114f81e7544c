/**
 * What is being done about a partition between log and state: so that nobody takes the log for stored further than it
 * is.
 */
export type InFlight = {
  /** The partition is taken, and the state level with the log as far as `end`: what was under way before counts not. */
  readonly taken: (partition: number, end: number) => void;
  /** The partition of `webhook-events` ended there, at a moment that has passed. */
  readonly looked: (partition: number, end: number) => void;
  /** Events are about to be appended. @returns what tells that the state has them, too */
  readonly begin: (partition: number) => () => void;
  /** Every event of this process below that offset is stored; null where nothing is under way. */
  readonly lowest: (partition: number) => number | null;
};

export const createInFlight = (): InFlight => {
  const ends = new Map<number, number>();
  /** For each partition, where it ended before each of the things under way was begun. */
  const under_way = new Map<number, Set<{ readonly from: number }>>();
  return {
    taken: (partition, end) => {
      ends.set(partition, end);
      under_way.delete(partition);
    },
    looked: (partition, end) => {
      ends.set(partition, end);
    },
    begin: (partition) => {
      const own = { from: ends.get(partition) ?? 0 };
      const its = under_way.get(partition) ?? new Set();
      under_way.set(partition, its.add(own));
      return () => {
        its.delete(own);
      };
    },
    lowest: (partition) => {
      const its = [...(under_way.get(partition) ?? [])];
      return its.length === 0
        ? null
        : its.reduce((lowest, { from }) => Math.min(lowest, from), Number.MAX_SAFE_INTEGER);
    },
  };
};
