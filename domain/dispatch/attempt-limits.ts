import type { Attempt } from '../render/render.ts';
import { isCountedLoss } from './loss-reasons.ts';
import { hasMachineId, machineOf } from './machine.ts';

/** A render fails after counted losses on this many machines, because the render itself may be faulty. */
const MAX_MACHINES = 3;

/** The maximum if no further machine is available. */
const MAX_COUNTED_LOSSES = 5;

/** The maximum for all kinds of losses. It is lower than 100, because the fold ignores attempts above 100. */
export const MAX_RENDER_ATTEMPTS = 95;

/** The wait after the first counted loss, and after each further one. */
const BACK_OFF_MS: readonly number[] = [2_000, 8_000];

const isCounted = ({ lost }: Attempt): boolean => lost !== null && isCountedLoss(lost);

export const countLosses = (attempts: readonly Attempt[]): number => attempts.filter(isCounted).length;

/** Each machine counts once. Ids of older workers do not name a machine, so each of their losses counts. */
const countedMachines = (attempts: readonly Attempt[]): number => {
  const counted = attempts.filter(isCounted);
  const named = counted.filter(({ worker_id }) => hasMachineId(worker_id));
  return new Set(named.map(({ worker_id }) => machineOf(worker_id))).size + counted.length - named.length;
};

/**
 * True if a render with only lost attempts must be faulty itself.
 *
 * @param elsewhere whether a machine without a loss of this render accepts attempts
 */
export const attemptsExhausted = (attempts: readonly Attempt[], elsewhere: boolean): boolean =>
  countedMachines(attempts) >= MAX_MACHINES || (!elsewhere && countLosses(attempts) >= MAX_COUNTED_LOSSES);

/** In ms; 0 if the last loss does not count. */
export const backOffMs = (attempts: readonly Attempt[]): number => {
  const last = attempts.at(-1);
  if (last === undefined || !isCounted(last)) return 0;
  return BACK_OFF_MS[Math.min(countLosses(attempts), BACK_OFF_MS.length) - 1] ?? 0;
};
