import type { Attempt } from '../render/render.ts';
import { isCountedLoss } from './loss-reasons.ts';
import { machineOf, namesMachine } from './machine.ts';

/** Machines that lost the render for what may be its own fault: after so many it fails. */
const MOST_MACHINES = 3;

/** Such losses in all, where there is no further machine to try. */
const MOST_COUNTED_LOSSES = 5;

/** Attempts in all, whatever they were lost for. Below the bound of the fold, which ignores what is above 100. */
export const MOST_ATTEMPTS = 95;

/** How long a render waits after its first, second, … counted loss. */
const BACK_OFF_MS: readonly number[] = [2_000, 8_000];

const isCounted = ({ lost }: Attempt): boolean => lost !== null && isCountedLoss(lost);

export const countedLosses = (attempts: readonly Attempt[]): number => attempts.filter(isCounted).length;

/** Each machine once; every loss of an older worker, whose id names no machine. */
const countedMachines = (attempts: readonly Attempt[]): number => {
  const counted = attempts.filter(isCounted);
  const named = counted.filter(({ worker_id }) => namesMachine(worker_id));
  return new Set(named.map(({ worker_id }) => machineOf(worker_id))).size + counted.length - named.length;
};

/**
 * Whether a render whose attempts are all lost is taken to be at fault itself.
 *
 * @param elsewhere whether a machine that has not lost it takes attempts
 */
export const attemptsExhausted = (attempts: readonly Attempt[], elsewhere: boolean): boolean =>
  countedMachines(attempts) >= MOST_MACHINES || (!elsewhere && countedLosses(attempts) >= MOST_COUNTED_LOSSES);

/** Wait after a counted loss, ms; 0 where the last loss did not count. */
export const backOffMs = (attempts: readonly Attempt[]): number => {
  const last = attempts.at(-1);
  if (last === undefined || !isCounted(last)) return 0;
  return BACK_OFF_MS[Math.min(countedLosses(attempts), BACK_OFF_MS.length) - 1] ?? 0;
};
