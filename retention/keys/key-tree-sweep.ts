import pLimit from 'p-limit';
import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import type { VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { readKeyTree } from '../../platform/seals/read-key-tree.ts';
import type { KnownTreeAt, KnownTrees } from '../../read-models/retention/key-trees.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';
import { isRestored } from './restored-trees.ts';

export type KeyTreeSweepDependencies = {
  readonly blobs: Pick<VersionedBlobs, 'read'>;
  readonly known_trees: Pick<KnownTrees, 'page'>;
  readonly checkRestoredTrees: () => Promise<void>;
  readonly logger: Logger;
};

const DAY_MS = 86_400_000;
const TREES_OF_A_PAGE = 500;
const READ_AT_ONCE = 8;

type State = 'usual' | 'restored' | 'missing' | 'corrupt';

/**
 * Compares each punctured tree with Blob once a day. Finds lost trees, and trees that a restore of a part of Blob brought
 * back. A tree without keys stays, because readers take a missing tree for a lost one.
 */
export const keyTreeSweep = (deps: KeyTreeSweepDependencies): Sweep => {
  const { blobs, known_trees, checkRestoredTrees, logger } = deps;

  const stateOf = async (known: KnownTreeAt): Promise<State> => {
    try {
      const found = await readKeyTree(blobs, known.path);
      if (found === null) return known.is_deleted ? 'usual' : 'missing';
      return isRestored(known, found.tree) ? 'restored' : 'usual';
    } catch (error) {
      if (error instanceof BlobFault && error.tag === 'corrupt') return 'corrupt';
      throw error;
    }
  };

  return {
    name: 'key_trees',
    every_ms: DAY_MS,
    page: async (from) => {
      const page = await known_trees.page(from, TREES_OF_A_PAGE);
      const states = await pLimit(READ_AT_ONCE).map(page, async (known) => ({ known, state: await stateOf(known) }));
      const pathsOf = (wanted: State): readonly string[] =>
        states.flatMap(({ known, state }) => (state === wanted ? [known.path] : []));
      if (pathsOf('restored').length > 0) await checkRestoredTrees();
      for (const state of ['missing', 'corrupt'] as const) {
        const paths = pathsOf(state);
        if (paths.length > 0)
          logger.error({ trees: paths.length, first: paths[0] }, `key trees in Blob are ${state}: restore them`);
      }
      return { next: page.length < TREES_OF_A_PAGE ? null : (page.at(-1)?.path ?? null), removed: {} };
    },
  };
};
