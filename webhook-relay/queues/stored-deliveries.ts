import { queuePositionOfTime } from '../../read-models/deliveries/waiting.ts';

/** What may wait in the store, and is not in memory, and is due within one second. */
export type DeliveriesDueInSecond = {
  /** Since the epoch. */
  readonly second: number;
  /** None of them has a lower position. */
  readonly first_position: string;
  /** About how many. */
  readonly count: number;
};

/** What a queue knows of the deliveries that wait in the store only: numbers, however many they are. */
export type StoredDeliveries = {
  readonly add: (stored: DeliveriesDueInSecond) => void;
  /** The lowest position that one of them can have; null if there is none. */
  readonly first: () => string | null;
  /** In which second since the epoch the first of them is due. */
  readonly firstSecond: () => number | null;
  readonly has: (second: number) => boolean;
  readonly count: () => number;
  /**
   * Takes out the first ones, because they are looked up in the store: as many seconds as it takes for `wanted`
   * deliveries, one at least, but none after `until`.
   *
   * @returns in order of time
   */
  readonly take: (wanted: number, until: number) => readonly DeliveriesDueInSecond[];
  readonly clear: () => void;
};

export const secondOf = (at_ms: number): number => Math.floor(at_ms / 1_000);

/** One delivery of which only the time is known. */
export const storedAt = (due_at: number): DeliveriesDueInSecond => ({
  second: secondOf(due_at),
  first_position: queuePositionOfTime(due_at),
  count: 1,
});

/** The lower one of two positions. */
export const lower = (a: string, b: string): string => (a < b ? a : b);

export const storedDeliveries = (): StoredDeliveries => {
  const seconds = new Map<number, DeliveriesDueInSecond>();
  let count = 0;
  let first: DeliveriesDueInSecond | null = null;
  const findFirst = (): DeliveriesDueInSecond | null => {
    let found: DeliveriesDueInSecond | null = null;
    for (const stored of seconds.values()) if (found === null || stored.second < found.second) found = stored;
    return found;
  };
  return {
    add: (stored) => {
      const known = seconds.get(stored.second);
      const both: DeliveriesDueInSecond = {
        second: stored.second,
        first_position: lower(known?.first_position ?? stored.first_position, stored.first_position),
        count: (known?.count ?? 0) + stored.count,
      };
      seconds.set(stored.second, both);
      count += stored.count;
      if (first === null || both.second <= first.second) first = both;
    },
    first: () => first?.first_position ?? null,
    firstSecond: () => first?.second ?? null,
    has: (second) => seconds.has(second),
    count: () => count,
    take: (wanted, until) => {
      const taken: DeliveriesDueInSecond[] = [];
      let found = 0;
      for (const stored of [...seconds.values()].sort((a, b) => a.second - b.second)) {
        if (taken.length > 0 && (found >= wanted || stored.second > until)) break;
        taken.push(stored);
        found += stored.count;
      }
      for (const stored of taken) seconds.delete(stored.second);
      count -= found;
      first = findFirst();
      return taken;
    },
    clear: () => {
      seconds.clear();
      count = 0;
      first = null;
    },
  };
};
