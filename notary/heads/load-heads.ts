import type { ProofBlobs } from '../../platform/blob-store/proof-blobs.ts';
import { entriesFrom } from '../../platform/proof-log/heads-log.ts';
import { NotExtended } from '../../platform/proof-log/not-extended.ts';
import type { ProofPaths } from '../../platform/proof-log/proof-paths.ts';
import { headsTile } from '../../platform/proof-log/stored-tiles.ts';
import { EMPTY_TREE, type GrowingTree, rootOf, TILE_WIDTH, treeEdgeOfSize } from '../../proofs/merkle/growing-tree.ts';
import { leafHash } from '../../proofs/merkle/hashes.ts';
import { type HeadsState, NO_HEADS, withEntry } from './heads-state.ts';

/**
 * Loads the last bundle and the one before it, which together name every partition. Rejects with `NotExtended` if the
 * stored data differs from what was signed.
 */
export const loadHeads = async (
  blobs: Pick<ProofBlobs, 'read'>,
  paths: ProofPaths,
  { size, root }: { readonly size: number; readonly root: Buffer },
): Promise<HeadsState> => {
  if (size === 0) return NO_HEADS;
  const readTile = headsTile(blobs, paths);
  const edge: (readonly Buffer[])[] = [];
  for (const [level, { index, width }] of treeEdgeOfSize(size).entries())
    edge.push(width === 0 ? [] : await readTile(level, index, width));
  const tree: GrowingTree = { size, edge };
  if (!rootOf(tree).equals(root))
    throw new NotExtended(`the tiles of the log of heads do not have the root that was signed of ${size} entries`);

  const begun = Math.floor(size / TILE_WIDTH) * TILE_WIDTH;
  const first = Math.max(0, begun - TILE_WIDTH);
  const hashesBefore = first < begun ? await readTile(0, first / TILE_WIDTH, TILE_WIDTH) : [];
  const hashes = [...hashesBefore, ...(edge[0] ?? [])];
  let state: HeadsState = { ...NO_HEADS, tree: { ...EMPTY_TREE, size: first } };
  for await (const entry of entriesFrom(blobs, paths, first, size)) {
    if (hashes[entry.index - first]?.equals(leafHash(entry.bytes)) !== true)
      throw new NotExtended(`entry ${entry.index} of the log of heads is not what was signed`);
    state = withEntry(state, entry);
  }
  return { ...state, tree };
};
