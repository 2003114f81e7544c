import type { Db } from 'mongodb';
import type { ReadModel } from '../generations.ts';
import { storedGenerations } from '../unused-generations.ts';

/**
 * Generations that no process folds, because they were replaced or stopped, in ascending order. Other generations lose
 * erased texts when a projector folds the erasure. Rejects on store outage.
 */
export type InactiveGenerations = () => Promise<readonly number[]>;

export const openInactiveGenerations =
  (db: Db, read_model: ReadModel, now: () => number): InactiveGenerations =>
  async () => {
    const stored = await storedGenerations(db, read_model, now());
    return stored.flatMap(({ generation, need }) => (need.tag === 'needed' ? [] : [generation]));
  };
