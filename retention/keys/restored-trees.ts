import pLimit from 'p-limit';
import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import type { VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { coalesceReads } from '../../platform/read-store/shared-read.ts';
import { readKeyTree } from '../../platform/seals/read-key-tree.ts';
import type { KnownTree, KnownTreeAt, KnownTrees } from '../../read-models/retention/key-trees.ts';
import { encodeKeyTree, type KeyTree } from '../../schemas/seal/key-tree.ts';

/**
 * Whether Blob has an older tree than this service wrote. Read `known` before `tree`: a puncture writes Blob first, so a
 * puncture between the two reads does not look like a restore.
 */
export const isRestored = (known: KnownTree | null, { write_counter, nodes }: KeyTree): boolean =>
  known !== null &&
  (known.is_deleted || known.is_missing === true ? nodes.length > 0 : write_counter < known.write_counter);

export type RestoredTreesDependencies = {
  readonly blobs: Pick<VersionedBlobs, 'read' | 'replace'>;
  readonly known_trees: Pick<KnownTrees, 'page' | 'accept'>;
  /** Makes every process repeat all erasures, from the first record. */
  readonly repeatErasures: () => Promise<void>;
  readonly on_restored: (trees: number) => void;
  readonly logger: Logger;
};

const TREES_OF_A_PAGE = 500;
const READ_AT_ONCE = 8;

/**
 * Compares all trees with Blob, and repeats all erasures if some are older. A restore of a part of Blob brings back keys
 * of erased texts, and may leave the notes of the erasures as they are. One check covers all trees, because each repeat
 * begins at the first erasure. A check during another one waits for it, and then runs.
 */
export const createRestoredTreesCheck = (deps: RestoredTreesDependencies): (() => Promise<void>) => {
  const { blobs, known_trees, repeatErasures, on_restored, logger } = deps;

  /** Null if Blob has no such tree, or one that is not older. */
  const restoredTree = async (known: KnownTreeAt) => {
    try {
      const found = await readKeyTree(blobs, known.path);
      return found !== null && isRestored(known, found.tree) ? found : null;
    } catch (error) {
      if (error instanceof BlobFault && error.tag === 'corrupt') return null;
      throw error;
    }
  };

  /**
   * Gives the tree a counter above all earlier ones. Otherwise another restore could bring back a tree with the same
   * counter and other keys.
   */
  const acceptTree = async (known: KnownTreeAt): Promise<void> => {
    const found = await restoredTree(known);
    if (found === null) return;
    const { tree, version } = found;
    const write_counter = Math.max(known.write_counter, tree.write_counter) + 1;
    // If another process has written the tree, the next check finds it again.
    if (await blobs.replace(known.path, encodeKeyTree({ ...tree, write_counter }), version))
      await known_trees.accept(known, write_counter);
  };

  const check = async (): Promise<void> => {
    const restored: KnownTreeAt[] = [];
    let after: string | null = null;
    do {
      const page: readonly KnownTreeAt[] = await known_trees.page(after, TREES_OF_A_PAGE);
      await pLimit(READ_AT_ONCE).map(page, async (known) => {
        if ((await restoredTree(known)) !== null) restored.push(known);
      });
      after = page.length < TREES_OF_A_PAGE ? null : (page.at(-1)?.path ?? null);
    } while (after !== null);
    if (restored.length === 0) return;
    on_restored(restored.length);
    logger.error(
      { trees: restored.length, first: restored[0]?.path },
      'Blob has older key trees than this service wrote, so part of Blob was restored: all erasures are repeated',
    );
    await repeatErasures();
    // After a crash before this line, the next check finds the same trees again.
    for (const known of restored) await acceptTree(known);
  };

  const coalesced = coalesceReads(check);
  return () => coalesced('');
};
