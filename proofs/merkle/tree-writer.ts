import { type FullTile, TILE_WIDTH } from './growing-tree.ts';
import { EMPTY_ROOT, nodeHash } from './hashes.ts';

/**
 * A mutable tree for single appends and frequent roots: a root costs one hash per complete subtree, an append two on
 * average.
 */
export type TreeWriter = {
  readonly size: () => number;
  /** Returns the tiles that became full, lowest level first. */
  readonly append: (leaf: Buffer) => readonly FullTile[];
  readonly root: () => Buffer;
};

const LEVELS_OF_A_TILE = Math.log2(TILE_WIDTH);

export const openTreeWriter = (): TreeWriter => {
  let size = 0;
  /** The root of the complete subtree of each height at the right edge; null if a height has none. */
  const subtrees: (Buffer | null)[] = [];
  /** For each level, the hashes that are not in a full tile yet. */
  const rows: Buffer[][] = [];

  const addToRow = (level: number, hash: Buffer): FullTile | null => {
    const row = rows[level] ?? [];
    row.push(hash);
    rows[level] = row.length < TILE_WIDTH ? row : [];
    return row.length < TILE_WIDTH ? null : { level, index: size / TILE_WIDTH ** (level + 1) - 1, hashes: row };
  };

  return {
    size: () => size,
    append: (leaf) => {
      size += 1;
      const tiles: FullTile[] = [];
      let hash = leaf;
      for (let height = 0; ; height += 1) {
        const tile = height % LEVELS_OF_A_TILE === 0 ? addToRow(height / LEVELS_OF_A_TILE, hash) : null;
        if (tile !== null) tiles.push(tile);
        const left = subtrees[height] ?? null;
        if (left === null) {
          subtrees[height] = hash;
          return tiles;
        }
        subtrees[height] = null;
        hash = nodeHash(left, hash);
      }
    },
    root: () => {
      let root: Buffer | null = null;
      for (const left of subtrees) if (left !== null) root = root === null ? left : nodeHash(left, root);
      return root ?? EMPTY_ROOT;
    },
  };
};
