import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { chargesFilter, type Period } from './charges.ts';
import { servingRenders } from './model.ts';

/** Includes erased renders. Rejects on store outage. */
export type CompletedCounts = (account_id: string, period: Period) => Promise<number>;

const COUNT_TIMEOUT_MS = 60_000;

export const openCompletedCounts = (db: Db): CompletedCounts => {
  const serving = servingRenders(db);
  return async (account_id, period) => {
    const { renders } = await serving();
    // Charged renders are all completed renders, because each one costs at least one credit.
    const pipeline = [{ $match: chargesFilter(account_id, period) }, { $group: { _id: null, renders: { $sum: 1 } } }];
    const [count] = await renders
      .aggregate<{ readonly renders: number }>(pipeline, queryTimeout(COUNT_TIMEOUT_MS))
      .toArray();
    return count?.renders ?? 0;
  };
};
