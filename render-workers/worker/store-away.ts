import type { Clock } from '../../platform/process/clock.ts';
import type { RetryPolicy } from '../../platform/process/retry.ts';

/** An outage that lasts longer costs the frames: another attempt makes them again, from cached parts. */
const LONGEST_MS = 2 * 3_600_000;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/** Of an attempt that has only to store what it made: pauses of a minute at most, for two hours. */
export const whileStoreIsAway = (clock: Pick<Clock, 'monotonic'>): RetryPolicy => {
  let since: number | null = null;
  return (failures) => {
    since ??= clock.monotonic();
    if (clock.monotonic() - since > LONGEST_MS) return null;
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10));
  };
};
