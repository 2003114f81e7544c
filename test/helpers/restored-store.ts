import type { Collection } from 'mongodb';
import type { StackProcess } from '../../stack/launcher.ts';

export type StoreBackup = readonly {
  readonly collection: Collection;
  readonly documents: readonly Record<string, unknown>[];
}[];

export const backupOf = async (collections: readonly Collection[]): Promise<StoreBackup> =>
  await Promise.all(
    collections.map(async (collection) => ({ collection, documents: await collection.find().toArray() })),
  );

const restore = async (backup: StoreBackup): Promise<void> => {
  for (const { collection, documents } of backup) {
    await collection.deleteMany({});
    if (documents.length > 0) await collection.insertMany([...documents]);
  }
};

const MAX_TRIES = 3;

/**
 * Freezes the projectors and restores, because a running projector would fold into a half-restored store. A projector
 * frozen within a transaction keeps documents locked, so it then resumes and is frozen again.
 *
 * @returns the number of tries; the projectors stay frozen
 */
export const restoreBehind = async (projectors: StackProcess, backup: StoreBackup): Promise<number> => {
  for (let tries = 1; ; tries += 1) {
    projectors.kill('SIGSTOP');
    try {
      await restore(backup);
      return tries;
    } catch (error) {
      projectors.kill('SIGCONT');
      if (tries === MAX_TRIES) throw error;
      await projectors.untilReady();
    }
  }
};
