import * as E from 'fp-ts/lib/Either.js';
import { decodeKeyTree, type KeyTree } from '../../schemas/seal/key-tree.ts';
import { BlobFault } from '../blob-store/blob-store.ts';
import type { VersionedBlobs } from '../blob-store/versioned-blobs.ts';

/** Null if the tree is missing. Rejects with `BlobFault`, also as `corrupt`. */
export const readKeyTree = async (
  blobs: Pick<VersionedBlobs, 'read'>,
  path: string,
): Promise<{ readonly tree: KeyTree; readonly version: string } | null> => {
  const blob = await blobs.read(path);
  if (blob === null) return null;
  const tree = decodeKeyTree(blob.bytes);
  if (E.isLeft(tree)) throw new BlobFault('corrupt', path, `${path}: ${tree.left}`);
  return { tree: tree.right, version: blob.version };
};
