import type { Db } from 'mongodb';
import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { repeatedly } from '../../platform/process/repeatedly.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { GenerationDocument } from '../../read-models/generations.ts';
import { StoreLost } from '../checkpoint/store-lost.ts';

const EVERY_MS = 1_000;
/** A restore drops the collection and writes it anew: what is gone for longer does not come back. */
const GONE_FOR_MS = 30_000;

/**
 * Looks, every second, whether the store still has the generation that this process claimed. One that was lost, or that
 * was restored from a backup that is older than the claim, has none or another: nobody would read what is folded here.
 * Once that has lasted for 30 s the process ends, and claims anew when it is started again.
 */
export const watchClaim = (
  db: Db,
  own: Pick<GenerationDocument, '_id' | 'generation'>,
  logger: Logger,
  clock: Clock,
): { readonly stop: () => Promise<void> } => {
  const warn = sparingWarnings(logger);
  let gone_since: number | null = null;

  const watch = async (): Promise<void> => {
    const found = await db
      .collection<GenerationDocument>(COLLECTIONS.generations)
      .findOne({ _id: own._id }, queryTimeout());
    if (found?.generation === own.generation) {
      gone_since = null;
      return;
    }
    gone_since ??= clock.now();
    if (clock.now() - gone_since < GONE_FOR_MS) return;
    throw new StoreLost(`the store has no generation ${own.generation} of ${own._id} any more: it is another one`);
  };

  return repeatedly(clock, EVERY_MS, watch, (error) => {
    // This ends the process.
    if (error instanceof StoreLost) throw error;
    warn({ error }, 'could not look whether the store still has the generation');
  });
};
