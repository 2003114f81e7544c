export type HorizontalExtent = { readonly left: number; readonly right: number };

/**
 * Assigns items to at most `most` rows without overlap. An item that fits nowhere goes into the last row.
 *
 * @returns null if an item did not fit and `may_overlap` is false
 */
export const packIntoRows = (
  reaches: readonly HorizontalExtent[],
  most: number,
  may_overlap: boolean,
): readonly number[] | null => {
  const order = [...reaches.entries()].toSorted(([, a], [, b]) => a.left - b.left);
  const ends: number[] = [];
  const rows = new Array<number>(reaches.length).fill(most - 1);
  for (const [i, { left, right }] of order) {
    const free = ends.findIndex((end) => end <= left);
    const row = free === -1 ? ends.length : free;
    if (row >= most) {
      if (!may_overlap) return null;
      continue;
    }
    ends[row] = right;
    rows[i] = row;
  }
  return rows;
};
