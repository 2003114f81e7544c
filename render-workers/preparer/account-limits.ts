import type { FailedWorkLimits, WorkCost } from '../../domain/limits/failed-work.ts';
import type { Render } from '../../domain/render/render.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { withTimeout } from '../../platform/process/within.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { countFailedWork, openFailedWorkLimit } from '../../read-models/renders/failed-work.ts';

/** Time limit for counting a failed render, so that its preparation does not wait longer for the store. */
const COUNT_WITHIN_MS = 5_000;

/** During a store outage, no work is counted and no account is held back. */
export const accountLimits = ({ db }: ReadStore, limits: FailedWorkLimits, logger: Logger, clock: Clock) => {
  const warn = throttledWarn(logger);
  const reached = openFailedWorkLimit(db, limits, clock);
  return {
    isHeldBack: async (account_id: string): Promise<boolean> => (await reached(account_id).catch(() => null)) !== null,
    recordCost: async ({ id: work_id, account_id }: Render, cost: WorkCost): Promise<void> => {
      const counted = countFailedWork(db, { work_id, account_id, cost }, clock.now());
      const late = (): never => {
        throw new Error(`not written within ${COUNT_WITHIN_MS} ms`);
      };
      await withTimeout(COUNT_WITHIN_MS, counted, late, clock).catch((error: unknown) =>
        warn({ error, account_id }, 'the cost of a failed render could not be counted'),
      );
    },
  };
};
