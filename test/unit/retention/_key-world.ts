import * as E from 'fp-ts/lib/Either.js';
import { createLogger } from '../../../platform/logging/logger.ts';
import type { KnownTree, KnownTrees } from '../../../read-models/retention/key-trees.ts';
import { createPuncture } from '../../../retention/erasure/puncture.ts';
import { createRestoredTreesCheck } from '../../../retention/keys/restored-trees.ts';
import { keyTreePath, keyTreesPath } from '../../../schemas/blobs/paths.ts';
import {
  decodeKeyTree,
  encodeKeyTree,
  hasLeaf,
  KEY_BYTES,
  type KeyTree,
  LEAF_COUNT,
  newTree,
} from '../../../schemas/seal/key-tree.ts';
import { memoryBlobs } from '../../helpers/versioned-blobs.ts';

export const ACCOUNT = 'acc_1';

export const treeName = (n: number): string => `01JD${String(n).padStart(22, '0')}`;

export const treePath = (n: number): string => keyTreePath(ACCOUNT, treeName(n)) ?? '';

const memoryKnownTrees = (): KnownTrees & { readonly all: Map<string, KnownTree> } => {
  const all = new Map<string, KnownTree>();
  return {
    all,
    find: async (path) => all.get(path) ?? null,
    page: async (after, limit) =>
      [...all]
        .map(([path, known]) => ({ path, ...known }))
        .filter(({ path }) => after === null || path > after)
        .toSorted((one, other) => (one.path < other.path ? -1 : 1))
        .slice(0, limit),
    raise: async (path, write_counter) => {
      const before = all.get(path) ?? { write_counter: 0, is_deleted: false };
      all.set(path, { ...before, write_counter: Math.max(before.write_counter, write_counter) });
    },
    setMissing: async (path) => {
      all.set(path, { ...(all.get(path) ?? { write_counter: 0, is_deleted: false }), is_missing: true });
    },
    accept: async ({ path }, write_counter) =>
      void all.set(path, { write_counter, is_deleted: false, is_missing: false }),
    setAccountDeleted: async (account_id) => {
      for (const [path, known] of all)
        if (path.startsWith(keyTreesPath(account_id))) all.set(path, { ...known, is_deleted: true });
    },
  };
};

/** Key trees in memory, with the processes of `retention` that puncture them. */
export const keyWorld = () => {
  const memory = memoryBlobs();
  const known_trees = memoryKnownTrees();
  let repeats = 0;
  const checkRestoredTrees = createRestoredTreesCheck({
    ...{ blobs: memory.blobs, known_trees, logger: createLogger('test', 'silent') },
    repeatErasures: async () => {
      repeats += 1;
    },
    on_restored: () => undefined,
  });
  const addTree = (n: number): void => {
    const bytes = encodeKeyTree(newTree(Buffer.alloc(KEY_BYTES, n)));
    memory.contents.set(treePath(n), { bytes, version: `created ${n}` });
  };
  const storedTree = (n: number): KeyTree => {
    const tree = decodeKeyTree(memory.contents.get(treePath(n))?.bytes ?? Buffer.alloc(0));
    if (E.isLeft(tree)) throw new Error(tree.left);
    return tree.right;
  };
  addTree(1);
  return {
    ...{ memory, known_trees, checkRestoredTrees, addTree, storedTree },
    repeats: () => repeats,
    newPuncture: () =>
      createPuncture({
        ...{ blobs: memory.blobs, known_trees, checkRestoredTrees },
        clock: { sleep: async () => undefined },
        random: () => 0.5,
      }),
    seal: (leaf: number, n = 1) => ({ account_id: ACCOUNT, tree: treeName(n), leaf }),
    puncturedLeaves: (n = 1): readonly number[] => {
      const tree = storedTree(n);
      return Array.from({ length: LEAF_COUNT }, (_, leaf) => leaf).filter((leaf) => !hasLeaf(tree, leaf));
    },
    countOf: (operation: string) => memory.operations.filter((one) => one.startsWith(`${operation} `)).length,
  };
};
