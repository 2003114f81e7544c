/** Unfinished records of one partition. The stored position never passes any of them. */
export type OffsetTracker = {
  /** Called in order of the offsets. */
  readonly begin: (offset: number) => void;
  readonly finish: (offset: number) => void;
  /** The position to store: the lowest unfinished offset, or `end` if all are done. */
  readonly next: () => number;
  /** The offset after the last begun record. */
  readonly end: () => number;
  readonly unfinished: () => number;
};

export const createOffsetTracker = (from: number): OffsetTracker => {
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
