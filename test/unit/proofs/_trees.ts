import { appendLeaves, EMPTY_TREE, type FullTile, type GrowingTree } from '../../../proofs/merkle/growing-tree.ts';
import { leafHash } from '../../../proofs/merkle/hashes.ts';
import type { ReadNode } from '../../../proofs/merkle/proofs.ts';
import { tiledNodes, tileReaderWithEdge } from '../../../proofs/tiles/tiled-nodes.ts';

export const leafData = (count: number): readonly Buffer[] =>
  Array.from({ length: count }, (_, i) => Buffer.from(`leaf ${i}`));

export const grownBy = (steps: readonly number[], leaves: readonly Buffer[]) => {
  let tree: GrowingTree = EMPTY_TREE;
  const tiles = new Map<string, FullTile>();
  for (const step of steps) {
    const more = appendLeaves(tree, leaves.slice(tree.size, tree.size + step).map(leafHash));
    for (const tile of more.tiles) tiles.set(`${tile.level}/${tile.index}`, tile);
    tree = more.tree;
  }
  return { tree, tiles };
};

export const nodesOf = ({ tree, tiles }: ReturnType<typeof grownBy>): ReadNode =>
  tiledNodes(
    tree.size,
    tileReaderWithEdge(tree.edge, async (level, index) => {
      const tile = tiles.get(`${level}/${index}`);
      if (tile === undefined) throw new Error(`there is no tile ${level}/${index}`);
      return tile.hashes;
    }),
  );
