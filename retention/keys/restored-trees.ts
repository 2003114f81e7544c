import pLimit from 'p-limit';
import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import type { VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { coalesceReads } from '../../platform/read-store/shared-read.ts';
import { readKeyTree } from '../../platform/seals/read-key-tree.ts';
import type { KnownTree, KnownTreeAt, KnownTrees } from '../../read-models/retention/key-trees.ts';
import type { KeyTree } from '../../schemas/seal/key-tree.ts';

/**
 * Whether Blob has an older tree than this service wrote. Read `known` before `tree`: a puncture writes Blob first, so a
 * puncture between the two reads does not look like a restore.
 */
export const isRestored = (known: KnownTree | null, { write_counter, nodes }: KeyTree): boolean =>
  known !== null && (known.is_deleted ? nodes.length > 0 : write_counter < known.write_counter);

export type RestoredTreesDependencies = {
  readonly blobs: Pick<VersionedBlobs, 'read'>;
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

  const restoredCounter = async (known: KnownTreeAt): Promise<number | null> => {
    try {
      const found = await readKeyTree(blobs, known.path);
      return found !== null && isRestored(known, found.tree) ? found.tree.write_counter : null;
    } catch (error) {
      if (error instanceof BlobFault && error.tag === 'corrupt') return null;
      throw error;
    }
  };

  const check = async (): Promise<void> => {
    const restored: { readonly known: KnownTreeAt; readonly write_counter: number }[] = [];
    let after: string | null = null;
    do {
      const page: readonly KnownTreeAt[] = await known_trees.page(after, TREES_OF_A_PAGE);
      await pLimit(READ_AT_ONCE).map(page, async (known) => {
        const write_counter = await restoredCounter(known);
        if (write_counter !== null) restored.push({ known, write_counter });
      });
      after = page.length < TREES_OF_A_PAGE ? null : (page.at(-1)?.path ?? null);
    } while (after !== null);
    if (restored.length === 0) return;
    on_restored(restored.length);
    logger.error(
      { trees: restored.length, first: restored[0]?.known.path },
      'Blob has older key trees than this service wrote, so part of Blob was restored: all erasures are repeated',
    );
    await repeatErasures();
    // After a crash before this line, the next check finds the same trees again.
    for (const { known, write_counter } of restored) await known_trees.accept(known, write_counter);
  };

  const coalesced = coalesceReads(check);
  return () => coalesced('');
};
