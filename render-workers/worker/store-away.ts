import type { Clock } from '../../platform/process/clock.ts';
import type { RetryPolicy } from '../../platform/process/retry.ts';

/** After a longer outage the attempt gives up. Another attempt renders all but the cached parts again. */
const LONGEST_MS = 2 * 3_600_000;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/** The retry policy of an attempt that only has to store its outputs: pauses of at most a minute, for two hours. */
export const storeOutageRetryPolicy = (clock: Pick<Clock, 'monotonic'>): RetryPolicy => {
  let since: number | null = null;
  return (failures) => {
    since ??= clock.monotonic();
    if (clock.monotonic() - since > LONGEST_MS) return null;
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10));
  };
};
