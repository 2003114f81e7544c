import type { ProofBlobs } from '../../platform/blob-store/proof-blobs.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { NotExtended } from '../../platform/proof-log/not-extended.ts';
import { type NotarizedPartition, partitionText } from '../../platform/proof-log/notarized-topics.ts';
import { partitionLeaves } from '../../platform/proof-log/partition-leaves.ts';
import type { ProofPaths } from '../../platform/proof-log/proof-paths.ts';
import { appendLeaves, type FullTile, type GrowingTree, TILE_WIDTH } from '../../proofs/merkle/growing-tree.ts';
import { tileBytes } from '../../proofs/tiles/tile-bytes.ts';
import { createOrCompare } from './created-or-same.ts';

export type TreeDependencies = {
  readonly log: Pick<EventLog, 'bounds' | 'replay'>;
  readonly blobs: Pick<ProofBlobs, 'read' | 'create'>;
  readonly paths: ProofPaths;
};

const leavesOf = ({ level, index }: FullTile): string => {
  const wide = TILE_WIDTH ** (level + 1);
  return `records ${index * wide} to ${(index + 1) * wide - 1}`;
};

/**
 * Extends the tree of a partition by the records up to `to`. Reads the records of the tree's partial tile again; they
 * must be unchanged. An existing full tile must have the same bytes.
 */
export const extendTree = async (
  { log, blobs, paths }: TreeDependencies,
  place: NotarizedPartition,
  before: GrowingTree,
  to: number,
): Promise<GrowingTree> => {
  const known = before.edge[0] ?? [];
  const from = before.size - known.length;
  let tree = before;
  let read = from;
  for await (const leaves of partitionLeaves(log, place, from, to)) {
    const again = Math.max(0, Math.min(leaves.length, before.size - read));
    for (let i = 0; i < again; i += 1)
      if (known[read - from + i]?.equals(leaves[i] ?? Buffer.of()) !== true)
        throw new NotExtended(
          `${partitionText(place)}: record ${read + i} is not what was signed (of records ${from} to ${before.size - 1})`,
        );
    const more = appendLeaves(tree, leaves.slice(again));
    for (const tile of more.tiles) {
      const path = paths.partitionTile(place, tile.level, tile.index);
      await createOrCompare(
        ...([blobs, path, tileBytes(tile.hashes)] as const),
        () => `${partitionText(place)}: ${leavesOf(tile)} differ from the stored tile ${path}`,
      );
    }
    tree = more.tree;
    read += leaves.length;
  }
  return tree;
};
