import pLimit from 'p-limit';
import { decodeTime } from 'ulid';
import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import type { VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import { readKeyTree } from '../../platform/seals/read-key-tree.ts';
import type { KnownTreeAt, KnownTrees } from '../../read-models/retention/key-trees.ts';
import { keyTreeAt } from '../../schemas/blobs/paths.ts';
import type { Sweep } from '../sweeps/run-sweeps.ts';
import type { TrustedTime } from '../time/trusted-time.ts';
import { isRestored } from './restored-trees.ts';

export type KeyTreeSweepDependencies = {
  readonly blobs: Pick<VersionedBlobs, 'read' | 'remove'>;
  readonly known_trees: Pick<KnownTrees, 'page' | 'setDeleted'>;
  readonly checkRestoredTrees: () => Promise<void>;
  readonly time: Pick<TrustedTime, 'now'>;
  readonly logger: Logger;
  readonly warn: Warn;
};

const DAY_MS = 86_400_000;
const TREES_OF_A_PAGE = 500;
const READ_AT_ONCE = 8;
/** A process uses a tree for a day. After two days, its clock or a long pause makes no difference. */
const MIN_AGE_MS = 2 * DAY_MS;

type State = 'usual' | 'restored' | 'missing' | 'corrupt' | 'empty';

const isOld = (path: string, now: number): boolean => {
  const tree = keyTreeAt(path)?.tree;
  return tree !== undefined && decodeTime(tree) < now - MIN_AGE_MS;
};

/**
 * Compares each punctured tree with Blob once a day. Finds trees that a restore of a part of Blob brought back, lost
 * trees, and deletes trees in which every leaf is punctured.
 */
export const keyTreeSweep = (deps: KeyTreeSweepDependencies): Sweep => {
  const { blobs, known_trees, checkRestoredTrees, time, logger, warn } = deps;

  const stateOf = async (known: KnownTreeAt): Promise<State> => {
    try {
      const found = await readKeyTree(blobs, known.path);
      if (found === null) return known.is_deleted ? 'usual' : 'missing';
      if (isRestored(known, found.tree)) return 'restored';
      return found.tree.nodes.length === 0 ? 'empty' : 'usual';
    } catch (error) {
      if (error instanceof BlobFault && error.tag === 'corrupt') return 'corrupt';
      throw error;
    }
  };

  const remove = async (path: string): Promise<void> => {
    // Otherwise the next pass would report the tree as missing.
    await known_trees.setDeleted(path);
    await blobs.remove(path);
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
      const empty = pathsOf('empty');
      const now = empty.length === 0 ? 0 : await time.now();
      for (const path of empty.filter((one) => isOld(one, now)))
        await remove(path).catch((error: unknown) => warn({ error, path }, 'an empty key tree cannot be removed'));
      return { next: page.length < TREES_OF_A_PAGE ? null : (page.at(-1)?.path ?? null), removed: {} };
    },
  };
};
