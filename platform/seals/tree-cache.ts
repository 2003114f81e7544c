import { LRUCache } from 'lru-cache';
import { erasedAccountTreePath, keyTreeAt } from '../../schemas/blobs/paths.ts';
import { type KeyTree, leafDeriver } from '../../schemas/seal/key-tree.ts';
import { BlobFault } from '../blob-store/blob-store.ts';
import type { VersionedBlobs } from '../blob-store/versioned-blobs.ts';
import type { Clock } from '../process/clock.ts';
import { coalesceReads } from '../read-store/shared-read.ts';
import { readKeyTree } from './read-key-tree.ts';
import { MAX_TREE_AGE_MS } from './tree-age.ts';

/** At most 18 KB each. */
const MAX_TREES = 2_000;
/** A core file must not have keys of texts that were erased long before. */
const FORGET_EVERY_MS = 15_000;

/** Null if the leaf is punctured. */
export type DeriveLeaf = (leaf: number) => Buffer | null;

export type TreeRead =
  | { readonly tag: 'found'; readonly derive: DeriveLeaf }
  | { readonly tag: 'missing' }
  | { readonly tag: 'corrupt' };

export type TreeCache = {
  /** Null if the cache has no tree that is fresh enough. */
  readonly cached: (path: string) => DeriveLeaf | null;
  /** Reads past the cache, so the result is not older than the call. Rejects with `unavailable` and `refused`. */
  readonly read: (path: string) => Promise<TreeRead>;
  /** The number of trees in memory. */
  readonly size: () => number;
};

/**
 * Caches trees only: a missing or corrupt tree is read again each time. Trees that are too old leave the memory of the
 * process, also without a call.
 */
export const createTreeCache = (
  blobs: Pick<VersionedBlobs, 'read'>,
  clock: Pick<Clock, 'monotonic' | 'every'>,
  max_trees: number = MAX_TREES,
): TreeCache => {
  const trees = new LRUCache<string, { readonly derive: DeriveLeaf; readonly read_at: number }>({ max: max_trees });
  const isFresh = (read_at: number): boolean => clock.monotonic() - read_at <= MAX_TREE_AGE_MS;
  clock.every(FORGET_EVERY_MS, () => {
    for (const [path, { read_at }] of trees.entries()) if (!isFresh(read_at)) trees.delete(path);
  });

  /** An erased account has an empty tree instead of its deleted trees. */
  const storedTree = async (path: string): Promise<KeyTree | null> => {
    const found = await readKeyTree(blobs, path);
    if (found !== null) return found.tree;
    const account_id = keyTreeAt(path)?.account_id;
    if (account_id === undefined) return null;
    return (await readKeyTree(blobs, erasedAccountTreePath(account_id)))?.tree ?? null;
  };

  const readTree = async (path: string): Promise<TreeRead> => {
    try {
      const tree = await storedTree(path);
      return tree === null ? { tag: 'missing' } : { tag: 'found', derive: leafDeriver(tree) };
    } catch (error) {
      if (error instanceof BlobFault && error.tag === 'corrupt') return { tag: 'corrupt' };
      throw error;
    }
  };

  const read = coalesceReads(async (path: string): Promise<TreeRead> => {
    const read_at = clock.monotonic();
    const found = await readTree(path);
    // The process may have been frozen during the read, while another process punctured the tree.
    if (!isFresh(read_at)) throw new BlobFault('unavailable', path, `${path} was not read within a minute`);
    if (found.tag === 'found') trees.set(path, { derive: found.derive, read_at });
    else trees.delete(path);
    return found;
  });

  return {
    cached: (path) => {
      const found = trees.get(path);
      return found !== undefined && isFresh(found.read_at) ? found.derive : null;
    },
    read,
    size: () => trees.size,
  };
};
