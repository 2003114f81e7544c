import { LRUCache } from 'lru-cache';
import type { FailedAttempt } from '../../domain/dispatch/heartbeats.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { countFailedWork } from '../../read-models/renders/failed-work.ts';

/** The number of counted attempts to remember: several heartbeats report an attempt, but it must be written once. */
const MAX_REMEMBERED = 1_000;

export const countFailedAttempts = (
  db: ReadStore['db'],
  clock: Clock,
): ((attempts: readonly FailedAttempt[]) => Promise<void>) => {
  const counted = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  return async (attempts) => {
    for (const { attempt_id: work_id, account_id, cpu_ms } of attempts) {
      if (counted.has(work_id)) continue;
      await countFailedWork(db, { work_id, account_id, cost: { cpu_ms, fetched_bytes: 0 } }, clock.now());
      counted.set(work_id, true);
    }
  };
};
