import type { Db } from 'mongodb';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { GenerationDocument } from '../../read-models/generations.ts';
import { StoreLost, watchStore } from '../checkpoint/store-lost.ts';

/** A restore drops the collection and writes it anew: what is gone for longer does not come back. */
const GONE_FOR_MS = 30_000;

/**
 * Checks, every second, that the store still has the generation that this process claimed. A store that was lost has
 * none. A store that was restored from a backup older than the claim may have another one. Readers would then not see
 * what this process folds, so after 30 s it ends, and claims a generation when it is started again.
 */
export const watchClaim = (
  db: Db,
  own: Pick<GenerationDocument, '_id' | 'generation'>,
  logger: Logger,
  clock: Clock,
): { readonly stop: () => Promise<void> } => {
  let gone_since: number | null = null;

  const watch = async (): Promise<void> => {
    const found = await db
      .collection<GenerationDocument>(COLLECTIONS.generations)
      .findOne({ _id: own._id }, queryTimeout());
    if (found?.generation === own.generation) {
      gone_since = null;
      return;
    }
    const now = clock.monotonic();
    gone_since ??= now;
    if (now - gone_since < GONE_FOR_MS) return;
    throw new StoreLost(`the store has no generation ${own.generation} of ${own._id} any more: it is another one`);
  };

  return watchStore(watch, 'could not look whether the store still has the generation', logger, clock);
};
