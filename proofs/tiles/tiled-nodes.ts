import { type GrowingTree, subtreeRoot, TILE_WIDTH, treeEdgeOfSize } from '../merkle/growing-tree.ts';
import type { ReadNode } from '../merkle/proofs.ts';

const TILE_HEIGHT = 8;

/** Reads the first `width` hashes of a tile. `width` is 256 for a full tile. */
export type ReadTile = (level: number, index: number, width: number) => Promise<readonly Buffer[]>;

export const tiledNodes = (size: number, readTile: ReadTile): ReadNode => {
  const edge = treeEdgeOfSize(size);
  const read = new Map<string, Promise<readonly Buffer[]>>();
  const tile = (level: number, index: number): Promise<readonly Buffer[]> => {
    const name = `${level}/${index}`;
    const partial = edge[level];
    const width = partial?.index === index ? partial.width : TILE_WIDTH;
    const found = read.get(name) ?? readTile(level, index, width);
    read.set(name, found);
    return found;
  };
  return async (level, index) => {
    const tile_level = Math.floor(level / TILE_HEIGHT);
    const width = 2 ** (level % TILE_HEIGHT);
    const first = index * width;
    const hashes = await tile(tile_level, Math.floor(first / TILE_WIDTH));
    const from = first % TILE_WIDTH;
    return subtreeRoot(hashes, from, from + width);
  };
};

/** Reads full tiles from the store, and partial ones from the right edge of the tree. */
export const tileReaderWithEdge =
  (edge: GrowingTree['edge'], readFullTile: (level: number, index: number) => Promise<readonly Buffer[]>): ReadTile =>
  async (level, index, width) =>
    width === TILE_WIDTH ? await readFullTile(level, index) : (edge[level] ?? []).slice(0, width);
