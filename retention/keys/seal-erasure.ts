import type { VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { type IgnoredSeals, openIgnoredSeals } from '../../read-models/renders/ignored-seals.ts';
import { type KnownTrees, openKnownTrees } from '../../read-models/retention/key-trees.ts';
import { openUnpuncturedSeals, type UnpuncturedSeals } from '../../read-models/retention/unpunctured-seals.ts';
import { createPuncture, type Puncture } from '../erasure/puncture.ts';
import { createPuncturePatiently, type PuncturePatiently } from '../erasure/puncture-patiently.ts';
import { createRestoredTreesCheck } from './restored-trees.ts';

type SealErasureDependencies = {
  readonly db: ReadStore['db'];
  readonly key_blobs: VersionedBlobs;
  readonly repeatErasures: () => Promise<void>;
  readonly on_restored: (trees: number) => void;
  readonly logger: Logger;
  readonly warn: Warn;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
};

/** The parts of a process that erase sealed texts. */
export type SealErasure = {
  readonly key_blobs: VersionedBlobs;
  readonly known_trees: KnownTrees;
  readonly unpunctured: UnpuncturedSeals;
  readonly ignored_seals: IgnoredSeals;
  readonly puncture: Puncture;
  readonly punctureAll: PuncturePatiently;
  readonly checkRestoredTrees: () => Promise<void>;
};

export const openSealErasure = (deps: SealErasureDependencies): SealErasure => {
  const { db, key_blobs, repeatErasures, on_restored, logger, warn, clock, random } = deps;
  const known_trees = openKnownTrees(db);
  const unpunctured = openUnpuncturedSeals(db);
  const checkRestoredTrees = createRestoredTreesCheck({
    ...{ blobs: key_blobs, known_trees, repeatErasures, on_restored, logger },
  });
  const puncture = createPuncture({ blobs: key_blobs, known_trees, checkRestoredTrees, clock, random });
  return {
    ...{ key_blobs, known_trees, unpunctured, puncture, checkRestoredTrees },
    ignored_seals: openIgnoredSeals(db),
    punctureAll: createPuncturePatiently({ puncture, unpunctured, clock, logger, warn }),
  };
};
