import { type GrowingTree, subtreeRoot, TILE_WIDTH, treeEdgeOfSize } from '../../proofs/merkle/growing-tree.ts';
import type { ProofBlobs } from '../blob-store/proof-blobs.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { NotarizedPartition } from './notarized-topics.ts';
import { allLeaves } from './partition-leaves.ts';
import type { ProofPaths } from './proof-paths.ts';
import { knownPartitionTile } from './stored-tiles.ts';

/** Built from the log and the stored tiles, and not yet compared with a signed head. */
export const partitionTreeAt = async (
  log: Pick<EventLog, 'replay'>,
  blobs: Pick<ProofBlobs, 'read'>,
  paths: ProofPaths,
  place: NotarizedPartition,
  size: number,
): Promise<GrowingTree> => {
  const readTile = knownPartitionTile(blobs, paths, place);
  const edge: (readonly Buffer[])[] = [];
  for (const [level, { index, width }] of treeEdgeOfSize(size).entries()) {
    const hashes: Buffer[] = [];
    if (level === 0) hashes.push(...(await allLeaves(log, place, size - width, size)));
    else
      for (let below = index * TILE_WIDTH; below < index * TILE_WIDTH + width; below += 1)
        hashes.push(subtreeRoot(await readTile(level - 1, below), 0, TILE_WIDTH));
    edge.push(hashes);
  }
  return { size, edge };
};
