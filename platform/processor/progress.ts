/** What a consumer took from one partition and has not done yet: so that its position never passes any of it. */
export type Progress = {
  /** In order of the offsets. */
  readonly begin: (offset: number) => void;
  readonly finish: (offset: number) => void;
  /** Everything below is done: the lowest unfinished offset, or `end` when there is none. To be kept in the store. */
  readonly next: () => number;
  /** The offset after the last that was begun: where reading goes on. */
  readonly end: () => number;
  readonly unfinished: () => number;
};

/** @param from the offset that is begun first, if anything is */
export const progressFrom = (from: number): Progress => {
  const open = new Set<number>();
  let end = from;
  return {
    begin: (offset) => {
      open.add(offset);
      end = offset + 1;
    },
    finish: (offset) => {
      open.delete(offset);
    },
    // A set keeps the order of insertion, and offsets are begun in order.
    next: () => open.values().next().value ?? end,
    end: () => end,
    unfinished: () => open.size,
  };
};
