import type { Attempt } from '../render/render.ts';

/** Losses that may be the render's own fault: after this many it fails. */
export const MAX_COUNTED_LOSSES = 3;

/** Attempts in all, whatever they were lost for: no render circulates for ever. */
export const MAX_ATTEMPTS = 10;

/** How long a render waits after its first, second, … counted loss. */
const BACK_OFF_MS: readonly number[] = [2_000, 8_000];

/** `drained` and `never_started` say nothing about the render; `crashed`, `surroundings` and what is not known here do. */
const isCounted = (attempt: Attempt): boolean =>
  attempt.lost !== null && attempt.lost !== 'drained' && attempt.lost !== 'never_started';

export const countedLosses = (attempts: readonly Attempt[]): number => attempts.filter(isCounted).length;

/** Whether a render whose attempts are all lost gets no further one. */
export const attemptsExhausted = (attempts: readonly Attempt[]): boolean =>
  countedLosses(attempts) >= MAX_COUNTED_LOSSES || attempts.length >= MAX_ATTEMPTS;

/** Wait before the next attempt, ms; 0 where the last loss did not count. */
export const backOffMs = (attempts: readonly Attempt[]): number => {
  const last = attempts.at(-1);
  if (last === undefined || !isCounted(last)) return 0;
  return BACK_OFF_MS[Math.min(countedLosses(attempts), BACK_OFF_MS.length) - 1] ?? 0;
};
