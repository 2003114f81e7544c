import type { Attempt } from '../render/render.ts';
import { isCountedLoss } from './loss-reasons.ts';
import { hasMachineId, machineOf } from './machine.ts';

/** A render fails after counted losses on this many machines, because the render itself may be faulty. */
const MAX_MACHINES = 3;

/** A render fails after this many counted losses if no other machine is available. */
const MAX_COUNTED_LOSSES = 5;

/**
 * A render fails after this many attempts, lost for any reason. It is lower than 100, because the fold ignores attempts
 * above 100.
 */
export const MAX_RENDER_ATTEMPTS = 95;

/** The wait after the first counted loss, and after each further one. */
const BACK_OFF_MS: readonly number[] = [2_000, 8_000];

const isCounted = ({ lost }: Attempt): boolean => lost !== null && isCountedLoss(lost);

export const countLosses = (attempts: readonly Attempt[]): number => attempts.filter(isCounted).length;

/**
 * The number of machines with counted losses. Ids of older workers do not name a machine, so each of their losses
 * counts as a machine.
 */
const countedMachines = (attempts: readonly Attempt[]): number => {
  const counted = attempts.filter(isCounted);
  const named = counted.filter(({ worker_id }) => hasMachineId(worker_id));
  return new Set(named.map(({ worker_id }) => machineOf(worker_id))).size + counted.length - named.length;
};

/**
 * True if so many attempts were lost that the render itself must be faulty.
 *
 * @param elsewhere whether a machine without a loss of this render accepts attempts
 */
export const attemptsExhausted = (attempts: readonly Attempt[], elsewhere: boolean): boolean =>
  countedMachines(attempts) >= MAX_MACHINES || (!elsewhere && countLosses(attempts) >= MAX_COUNTED_LOSSES);

/** The wait before the next attempt, ms; 0 if the last loss does not count. */
export const backOffMs = (attempts: readonly Attempt[]): number => {
  const last = attempts.at(-1);
  if (last === undefined || !isCounted(last)) return 0;
  return BACK_OFF_MS[Math.min(countLosses(attempts), BACK_OFF_MS.length) - 1] ?? 0;
};
