import type { StoredEntry } from '../../platform/proof-log/heads-log.ts';
import { appendLeaves, TILE_WIDTH, treeEdgeOfSize } from '../../proofs/merkle/growing-tree.ts';
import { leafHash } from '../../proofs/merkle/hashes.ts';
import { tileBytes } from '../../proofs/tiles/tile-bytes.ts';
import type { NotaryDependencies } from '../notary-dependencies.ts';
import { createOrCompare } from '../trees/created-or-same.ts';
import type { HeadsState } from './heads-state.ts';

export const writeTiles = async (
  { blobs, paths }: NotaryDependencies,
  before: HeadsState,
  entry: StoredEntry,
): Promise<void> => {
  const { tree, tiles } = appendLeaves(before.tree, [leafHash(entry.bytes)]);
  for (const { level, index, hashes } of tiles)
    await createOrCompare(blobs, paths.tile(level, index), tileBytes(hashes));
  for (const [level, { index, width }] of treeEdgeOfSize(tree.size).entries())
    if (width > 0) await createOrCompare(blobs, paths.tile(level, index, width), tileBytes(tree.edge[level] ?? []));
};

/**
 * Removes the partial versions of the bundle before the last full one, and of its tile. Readers find the full versions.
 */
export const removePartialTiles = async ({ blobs, paths }: NotaryDependencies, size: number): Promise<void> => {
  const bundle = size / TILE_WIDTH - 2;
  if (!Number.isInteger(bundle) || bundle < 0) return;
  for (let width = 1; width < TILE_WIDTH; width += 1)
    // A retention policy of the container may refuse the removal.
    for (const path of [paths.entries(bundle, width), paths.tile(0, bundle, width)])
      await blobs.remove(path).catch(() => undefined);
};
