import * as E from 'fp-ts/lib/Either.js';
import type { SealKey } from '../../domain/event/seal.ts';
import { keyTreePath } from '../../schemas/blobs/paths.ts';
import { decodeKeyTree, hasLeaf } from '../../schemas/seal/key-tree.ts';
import type { VersionedBlobs } from '../blob-store/versioned-blobs.ts';

/**
 * Whether the text of the seal is erased: Blob has no tree of it, or the tree cannot derive the key. False for a corrupt
 * tree, because its bytes may contain the key. Rejects with `BlobFault`.
 */
export const isPunctured = async (
  blobs: Pick<VersionedBlobs, 'read'>,
  account_id: string,
  { tree, leaf }: SealKey,
): Promise<boolean> => {
  const path = keyTreePath(account_id, tree);
  if (path === null) return true;
  const blob = await blobs.read(path);
  if (blob === null) return true;
  const stored = decodeKeyTree(blob.bytes);
  return E.isRight(stored) && !hasLeaf(stored.right, leaf);
};
