import type { Db } from 'mongodb';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import {
  type GenerationDocument,
  pointersIn,
  type ReadModel,
  type RebuildDocument,
  rebuildId,
} from '../../read-models/generations.ts';
import { StoreLost, watchStore } from '../checkpoint/store-lost.ts';

/** A restore drops the collection and writes it anew: what is gone for longer does not come back. */
const GONE_FOR_MS = 30_000;

type Pointer = Pick<GenerationDocument, '_id' | 'generation'> & {
  readonly read_model: ReadModel;
  readonly model_version: number;
};

export type ClaimWatch = {
  /** What this process follows; it changes as a rebuilt generation takes its place. */
  readonly own: () => Pointer;
  /** A rebuild of it is asked for; said every second. */
  readonly rebuild: (rebuild: RebuildDocument) => void;
  /** A rebuilt one has taken its place; said every second until it is followed. */
  readonly replaced: (by: GenerationDocument) => void;
};

const isRebuild = (pointer: GenerationDocument): pointer is RebuildDocument => 'replaces' in pointer;

/**
 * Checks, every second, that the store still has the generation that this process claimed. A store that was lost has
 * none. A store that was restored from a backup older than the claim may have another one. Readers would then not see
 * what this process folds, so after 30 s it ends, and claims a generation when it is started again.
 */
export const watchClaim = (
  db: Db,
  { own, rebuild, replaced }: ClaimWatch,
  logger: Logger,
  clock: Clock,
): { readonly stop: () => Promise<void> } => {
  let gone_since: number | null = null;

  const watch = async (): Promise<void> => {
    const { _id, read_model, model_version } = own();
    const found = await pointersIn(db)
      .find({ _id: { $in: [_id, rebuildId(read_model, model_version)] } }, queryTimeout())
      .toArray();
    // It may have changed while the store was asked.
    const { generation } = own();
    const pointer = found.find((one) => one._id === _id);
    if (pointer?.generation === generation) {
      gone_since = null;
      const asked = found.find(isRebuild);
      if (asked?.replaces === generation) rebuild(asked);
      return;
    }
    if (pointer?.replaced?.generation === generation) {
      gone_since = null;
      replaced(pointer);
      return;
    }
    const now = clock.monotonic();
    gone_since ??= now;
    if (now - gone_since < GONE_FOR_MS) return;
    throw new StoreLost(`the store has no generation ${generation} of ${_id} any more: it is another one`);
  };

  return watchStore(watch, 'could not look whether the store still has the generation', logger, clock);
};
