import { EMPTY_ROOT, nodeHash } from './hashes.ts';

/** A tile has the hashes of 256 adjacent subtrees of 256^level leaves each. */
export const TILE_WIDTH = 256;

export type FullTile = { readonly level: number; readonly index: number; readonly hashes: readonly Buffer[] };

/** The right edge of a tree, which is enough to append. For each level, the hashes that are not in a full tile yet. */
export type GrowingTree = { readonly size: number; readonly edge: readonly (readonly Buffer[])[] };

export const EMPTY_TREE: GrowingTree = { size: 0, edge: [] };

const rootOfNeighbours = (hashes: readonly Buffer[]): Buffer => {
  let row = hashes;
  while (row.length > 1)
    row = Array.from({ length: row.length / 2 }, (_, i) =>
      nodeHash(row[2 * i] ?? EMPTY_ROOT, row[2 * i + 1] ?? EMPTY_ROOT),
    );
  return row[0] ?? EMPTY_ROOT;
};

export const subtreeRoot = (hashes: readonly Buffer[], from: number, to: number): Buffer =>
  rootOfNeighbours(hashes.slice(from, to));

/** The roots of the complete subtrees of one level's edge, the smallest and rightmost first. */
const subtreesFromRight = (hashes: readonly Buffer[]): readonly Buffer[] => {
  const found: Buffer[] = [];
  let end = hashes.length;
  while (end > 0) {
    const width = end & -end;
    found.push(subtreeRoot(hashes, end - width, end));
    end -= width;
  }
  return found;
};

export const rootOf = ({ edge }: GrowingTree): Buffer => {
  const [smallest, ...larger] = edge.flatMap(subtreesFromRight);
  return larger.reduce((right, left) => nodeHash(left, right), smallest ?? EMPTY_ROOT);
};

/** The new tree, and the tiles that became full. The given tree is not changed. */
export const appendLeaves = (
  { size, edge }: GrowingTree,
  leaves: readonly Buffer[],
): { readonly tree: GrowingTree; readonly tiles: readonly FullTile[] } => {
  const levels = edge.map((hashes) => [...hashes]);
  const tiles: FullTile[] = [];
  const append = (level: number, hash: Buffer, count: number): void => {
    const hashes = levels[level] ?? [];
    levels[level] = hashes;
    hashes.push(hash);
    if (hashes.length < TILE_WIDTH) return;
    tiles.push({ level, index: count / TILE_WIDTH - 1, hashes });
    levels[level] = [];
    append(level + 1, rootOfNeighbours(hashes), count / TILE_WIDTH);
  };
  for (const [i, leaf] of leaves.entries()) append(0, leaf, size + i + 1);
  return { tree: { size: size + leaves.length, edge: levels }, tiles };
};

/**
 * For each level of a tree of this size: the number of hashes in the last, partial tile (`width`), and the index of
 * that tile.
 */
export const treeEdgeOfSize = (size: number): readonly { readonly index: number; readonly width: number }[] => {
  const levels: { index: number; width: number }[] = [];
  for (let count = size; count > 0; count = Math.floor(count / TILE_WIDTH))
    levels.push({ index: Math.floor(count / TILE_WIDTH), width: count % TILE_WIDTH });
  return levels;
};
