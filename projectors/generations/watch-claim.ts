import type { Db } from 'mongodb';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import {
  type GenerationDocument,
  generationPointers,
  type ReadModel,
  type RebuildDocument,
  rebuildId,
} from '../../read-models/generations.ts';
import { StoreLost, watchStore } from '../checkpoint/store-lost.ts';

/** A restore drops the collection and writes it again. After this time, a missing pointer is lost. */
const GONE_FOR_MS = 30_000;

type Pointer = Pick<GenerationDocument, '_id' | 'generation'> & {
  readonly read_model: ReadModel;
  readonly model_version: number;
};

export type ClaimWatch = {
  /** The generation that this process follows. It changes when a rebuilt generation replaces it. */
  readonly own: () => Pointer;
  /** Called every second while a rebuild is requested. */
  readonly rebuild: (rebuild: RebuildDocument) => void;
  /** Called every second until this process follows the rebuilt generation. */
  readonly replaced: (by: GenerationDocument) => void;
};

const isRebuild = (pointer: GenerationDocument): pointer is RebuildDocument => 'replaces' in pointer;

/**
 * Ends the process after 30 s if the store no longer has its generation; the process claims one when it starts again. A
 * lost store has no generation, and a store from an older backup may have another one. Readers would not see the
 * documents of this process.
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
    const found = await generationPointers(db)
      .find({ _id: { $in: [_id, rebuildId(read_model, model_version)] } }, queryTimeout())
      .toArray();
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
    throw new StoreLost(`the store no longer has generation ${generation} of ${_id}: it was replaced`);
  };

  return watchStore(watch, 'cannot check the generation in the store', logger, clock);
};
