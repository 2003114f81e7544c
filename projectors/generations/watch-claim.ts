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

/** A restore drops the collection and writes it again. If the pointer is missing for longer, it does not come back. */
const GONE_FOR_MS = 30_000;

type Pointer = Pick<GenerationDocument, '_id' | 'generation'> & {
  readonly read_model: ReadModel;
  readonly model_version: number;
};

export type ClaimWatch = {
  /** The generation that this process follows. It changes when a rebuilt generation replaces it. */
  readonly own: () => Pointer;
  /** Somebody requested a rebuild. Called every second. */
  readonly rebuild: (rebuild: RebuildDocument) => void;
  /** A rebuilt generation has replaced it. Called every second until this process follows that one. */
  readonly replaced: (by: GenerationDocument) => void;
};

const isRebuild = (pointer: GenerationDocument): pointer is RebuildDocument => 'replaces' in pointer;

/**
 * Checks every second that the store still has the generation that this process claimed. A lost store has none; a store
 * restored from a backup older than the claim may have another one. Readers would not see what this process folds. So
 * after 30 s the process ends, and claims a generation when it starts again.
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
    // It may have changed during the query.
    const { generation } = own();
    const pointer = found.find((one) => one._id === _id);
    if (pointer?.generation === generation) {
      gone_since = null;
      const request = found.find(isRebuild);
      if (request?.replaces === generation) rebuild(request);
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
