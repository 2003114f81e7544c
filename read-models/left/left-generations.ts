import type { Db } from 'mongodb';
import type { ReadModel } from '../generations.ts';
import { storedGenerations } from '../unused-generations.ts';

/**
 * Generations that no process folds: they were replaced or stopped. All others remove erased texts when they fold the
 * erasure. In order of their numbers. Rejects while the store does not answer.
 */
export type LeftGenerations = () => Promise<readonly number[]>;

/**
 * @param now ms since the epoch
 */
export const openLeftGenerations =
  (db: Db, read_model: ReadModel, now: () => number): LeftGenerations =>
  async () => {
    const stored = await storedGenerations(db, read_model, now());
    return stored.flatMap(({ generation, need }) => (need.tag === 'needed' ? [] : [generation]));
  };
