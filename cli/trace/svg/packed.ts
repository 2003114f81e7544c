/** From where to where something reaches on a line. */
export type Reach = { readonly left: number; readonly right: number };

/**
 * The row of each, so that none of a row overlap; what finds no room in `most` rows is put into the last one.
 *
 * @returns null where something found no room and `may_overlap` is false
 */
export const packed = (reaches: readonly Reach[], most: number, may_overlap: boolean): readonly number[] | null => {
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
