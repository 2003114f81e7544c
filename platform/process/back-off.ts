import { type Clock, SYSTEM_CLOCK } from './clock.ts';

const FIRST_MS = 50;
const LONGEST_MS = 5_000;

/** For work that is not given up. */
export const NEVER: AbortSignal = new AbortController().signal;

/**
 * Waits before another try: 50 ms doubled for each failure, at most 5 s.
 * Rejects with an AbortError as soon as the work is given up.
 *
 * @param failures how many tries have failed before this one, from 0
 */
export const backOff = (failures: number, given_up: AbortSignal, clock: Clock = SYSTEM_CLOCK): Promise<void> =>
  clock.sleep(Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10)), given_up);
