import pLimit from 'p-limit';
import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import type { VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { coalesceReads } from '../../platform/read-store/shared-read.ts';
import { readKeyTree } from '../../platform/seals/read-key-tree.ts';
import type { KnownTree, KnownTrees } from '../../read-models/retention/key-trees.ts';
import type { UnpuncturedSeal } from '../../read-models/retention/unpunctured-seals.ts';
import { erasedAccountTreePath, keyTreeAt, keyTreePath } from '../../schemas/blobs/paths.ts';
import { encodeKeyTree, puncture } from '../../schemas/seal/key-tree.ts';
import { isRestored } from '../keys/restored-trees.ts';

/**
 * Erases a key: afterwards, no process can derive it from Blob. May be repeated. A missing tree has no keys; if it
 * returns, all erasures are repeated. Rejects with `BlobFault` and on store outage.
 */
export type Puncture = (seal: UnpuncturedSeal) => Promise<void>;

export type PunctureDependencies = {
  readonly blobs: Pick<VersionedBlobs, 'read' | 'replace'>;
  readonly known_trees: Pick<KnownTrees, 'find' | 'raise' | 'setMissing'>;
  readonly checkRestoredTrees: () => Promise<void>;
  readonly clock: Pick<Clock, 'sleep'>;
  /** From 0 up to 1. */
  readonly random: () => number;
};

const TREES_AT_ONCE = 8;
const MAX_TRIES = 12;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1_000;

/**
 * One write of a tree is in progress at a time. All leaves that arrive meanwhile share the next write, because the
 * erasure of a project punctures many leaves of the same trees.
 */
export const createPuncture = (deps: PunctureDependencies): Puncture => {
  const { blobs, known_trees, checkRestoredTrees, clock, random } = deps;
  const turn = pLimit(TREES_AT_ONCE);
  /** By path: the leaves of the next write. */
  const queues = new Map<string, number[]>();

  /** A tree that Blob has lost may return from a backup. `retention` deletes trees of an erased account again. */
  const noteMissing = async (path: string, known: KnownTree | null): Promise<void> => {
    if (known?.is_deleted === true || known?.is_missing === true) return;
    const account_id = keyTreeAt(path)?.account_id ?? '';
    if ((await blobs.read(erasedAccountTreePath(account_id))) === null) await known_trees.setMissing(path);
  };

  const writePunctures = async (path: string, leaves: readonly number[]): Promise<void> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const known = await known_trees.find(path);
      const found = await readKeyTree(blobs, path);
      if (found === null) return await noteMissing(path, known);
      const { tree, version } = found;
      if (isRestored(known, tree)) await checkRestoredTrees();
      else {
        const next = puncture(tree, leaves);
        // After a lost answer, the leaves are punctured already, but the counter may not be stored.
        if (next === tree || (await blobs.replace(path, encodeKeyTree(next), version))) {
          if (next.write_counter > (known?.write_counter ?? 0)) await known_trees.raise(path, next.write_counter);
          return;
        }
        // Another process wrote the tree. The pauses differ, so that the processes do not meet again.
        await clock.sleep(random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries));
      }
    }
    throw new BlobFault('unavailable', path, `${path} changed during ${MAX_TRIES} tries to puncture it`);
  };

  const writeQueued = coalesceReads((path: string): Promise<void> => {
    const leaves = queues.get(path) ?? [];
    queues.delete(path);
    return turn(() => writePunctures(path, leaves));
  });

  return async ({ account_id, tree, leaf }) => {
    const path = keyTreePath(account_id, tree);
    // No process can open a text whose seal names no possible tree.
    if (path === null) return;
    queues.set(path, [...(queues.get(path) ?? []), leaf]);
    await writeQueued(path);
  };
};
