import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import {
  endOfHour,
  type FailedWorkLimits,
  hourOf,
  type LimitReached,
  limitReached,
  NO_COST,
  type WorkCost,
} from '../../domain/limits/failed-work.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';

/** `failed_work`: the cost of one account's failed renders in one hour; `_id` is `<account>/<hour>`. Expires. */
export type FailedWorkDocument = {
  readonly _id: string;
  readonly cpu_ms: number;
  readonly fetched_bytes: number;
  /** The last counted renders and attempts, so that repeated reports count once. */
  readonly counted: readonly string[];
  readonly until: Date;
};

export const failedWorkId = (account_id: string, hour: number): string => `${account_id}/${hour}`;

export type FailedWork = {
  readonly work_id: string;
  readonly account_id: string;
  readonly cost: WorkCost;
};

const KNOWN_MS = 1_000;
const MAX_KNOWN = 10_000;
/** More than all preparers and workers process for one account at once: only those can be reported again. */
const MAX_COUNTED = 200;

/**
 * If a document has already counted the work, the filter does not match, and the upsert fails with a duplicate id.
 * Rejects on store outage.
 *
 * @param at_ms selects the hour
 */
export const countFailedWork = async (
  db: Db,
  { work_id, account_id, cost }: FailedWork,
  at_ms: number,
): Promise<void> => {
  const hour = hourOf(at_ms);
  const cpu_ms = Math.ceil(cost.cpu_ms);
  const { fetched_bytes } = cost;
  if (cpu_ms <= 0 && fetched_bytes <= 0) return;
  try {
    await db.collection<FailedWorkDocument>(COLLECTIONS.failed_work).updateOne(
      { _id: failedWorkId(account_id, hour), counted: { $ne: work_id } },
      {
        $inc: { cpu_ms, fetched_bytes },
        $push: { counted: { $each: [work_id], $slice: -MAX_COUNTED } },
        $setOnInsert: { until: new Date(endOfHour(hour)) },
      },
      { upsert: true },
    );
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
};

/** Null while an account is below its limits; cached for a second. Rejects on store outage. */
export type FailedWorkLimit = (account_id: string) => Promise<LimitReached | null>;

export const openFailedWorkLimit = (db: Db, limits: FailedWorkLimits, clock: Clock): FailedWorkLimit => {
  const collection = db.collection<FailedWorkDocument>(COLLECTIONS.failed_work);
  const used = new LRUCache<string, WorkCost>({
    max: MAX_KNOWN,
    ttl: KNOWN_MS,
    perf: { now: clock.monotonic },
    fetchMethod: async (_id) =>
      (await collection.findOne({ _id }, { projection: { cpu_ms: 1, fetched_bytes: 1 }, ...queryTimeout() })) ??
      NO_COST,
  });
  return async (account_id) => {
    const now_ms = clock.now();
    const cost = await used.fetch(failedWorkId(account_id, hourOf(now_ms)));
    return limitReached(cost ?? NO_COST, limits, now_ms);
  };
};
