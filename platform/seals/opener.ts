import type { Seal } from '../../domain/event/seal.ts';
import { keyTreePath } from '../../schemas/blobs/paths.ts';
import { openBox, type SealContext } from '../../schemas/seal/box.ts';
import { LEAF_COUNT } from '../../schemas/seal/key-tree.ts';
import { decodeSealedText, type SealedText } from '../../schemas/seal/plain-text.ts';
import type { VersionedBlobs } from '../blob-store/versioned-blobs.ts';
import { rejectOnAbort } from '../process/abortable.ts';
import type { Clock } from '../process/clock.ts';
import { createTreeCache, type DeriveLeaf } from './tree-cache.ts';

/** The members of a record that its box is bound to. A `RenderRequested` is a `SealedRecord` if it is sealed. */
export type SealedRecord = Omit<SealContext, 'tree' | 'leaf'> & { readonly sealed: Seal };

/**
 * - `reference_invalid`: the seal names no possible tree or leaf.
 * - `tree_missing`, `tree_corrupt`: the blob of the tree.
 * - `box_corrupt`: the key exists, but the box is not the sealed one, or belongs to another record.
 * - `text_invalid`: the box opens, but newer code wrote its text.
 */
export type LostReason = 'reference_invalid' | 'tree_missing' | 'tree_corrupt' | 'box_corrupt' | 'text_invalid';

/** `punctured`: the text is erased. `lost`: the text cannot be read, but no erasure is known. */
export type SealOpening =
  | { readonly state: 'open'; readonly text: SealedText }
  | { readonly state: 'punctured' }
  | { readonly state: 'lost'; readonly why: LostReason };

export type SealOpener = {
  /**
   * Opens a sealed text, with one read of Blob for each tree and minute. Rejects with `BlobFault` (`unavailable` or
   * `refused`) if the tree cannot be read now, and with the reason of an aborted signal.
   */
  readonly open: (record: SealedRecord, signal?: AbortSignal) => Promise<SealOpening>;
};

const lost = (why: LostReason): SealOpening => ({ state: 'lost', why });

const openWith = (derive: DeriveLeaf, record: SealedRecord): SealOpening => {
  const { type, account_id, project_id, render_id, sealed } = record;
  const { tree, leaf, box } = sealed;
  const leaf_key = derive(leaf);
  if (leaf_key === null) return { state: 'punctured' };
  const plain = openBox(leaf_key, { type, account_id, project_id, render_id, tree, leaf }, box);
  if (plain === null) return lost('box_corrupt');
  const text = decodeSealedText(plain);
  return text === null ? lost('text_invalid') : { state: 'open', text };
};

const isLeaf = (leaf: number): boolean => Number.isInteger(leaf) && leaf >= 0 && leaf < LEAF_COUNT;

export const createSealOpener = (
  blobs: Pick<VersionedBlobs, 'read'>,
  clock: Pick<Clock, 'monotonic' | 'every'>,
  max_trees?: number,
): SealOpener => {
  const trees = createTreeCache(blobs, clock, max_trees);

  return {
    open: async (record, signal) => {
      signal?.throwIfAborted();
      const { account_id, sealed } = record;
      const path = keyTreePath(account_id, sealed.tree);
      if (path === null || !isLeaf(sealed.leaf)) return lost('reference_invalid');
      const cached = trees.cached(path);
      const opening = cached === null ? null : openWith(cached, record);
      // Every other verdict is final for its reader, so it needs the tree as it is now.
      if (opening?.state === 'open') return opening;
      const reading = trees.read(path);
      const found = await (signal === undefined ? reading : rejectOnAbort(signal, reading));
      return found.tag === 'found' ? openWith(found.derive, record) : lost(`tree_${found.tag}`);
    },
  };
};
