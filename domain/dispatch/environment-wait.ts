import type { Attempt } from '../render/render.ts';
import { MOST_ATTEMPTS } from './attempt-limits.ts';
import { isRunning, type OwnClock } from './liveness.ts';
import { isCountedLoss, isEnvironmentLoss } from './loss-reasons.ts';
import { machineOf } from './machine.ts';

const FIRST_PAUSE_MS = 5_000;
export const LONGEST_PAUSE_MS = 900_000;

/** So many attempts that were drained, or never started, are followed by another one at once. */
const FREE_RETURNS = 4;

/** From here on attempts are spread over the time that is left, so that they never run out before it does. */
const SPARING_FROM = 50;

/** Answers of the store that a payload is lost: over ten minutes, by the pauses between them. */
const PAYLOAD_ANSWERS = 6;

/** A dispatcher that began or was cut off a moment ago gives every render another try before it fails any by time. */
const GRACE_MS = 2 * LONGEST_PAUSE_MS;

/** A render whose last losses say nothing about it. All times are of the dispatcher's monotonic clock, ms. */
export type EnvironmentWait = {
  /** Of the first of them. */
  readonly since: number;
  /** Of the last one. */
  readonly lost_at: number;
};

/** 5 s after the first loss, then three times as long after each, 15 minutes at most. */
const growing = (losses: number): number =>
  losses <= 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 3 ** Math.min(losses - 1, 10));

/** The last losses, back to one that may be the render's own fault; an attempt that is open says nothing yet. */
const uncountedRun = (attempts: readonly Attempt[]): readonly Attempt[] => {
  const ended = attempts.filter(({ lost }) => lost !== null);
  return ended.slice(ended.findLastIndex(({ lost }) => lost === null || isCountedLoss(lost)) + 1);
};

const byEnvironment = ({ lost }: Attempt): boolean => lost !== null && isEnvironmentLoss(lost);

/** The attempts that the environment has lost since the render was last lost for what may be its own fault. */
export const environmentLosses = (attempts: readonly Attempt[]): readonly Attempt[] =>
  uncountedRun(attempts).filter(byEnvironment);

/** Wait after a loss that does not count, ms. */
export const environmentPauseMs = (attempts: readonly Attempt[]): number => {
  const run = uncountedRun(attempts);
  const last = run.at(-1);
  if (last === undefined) return 0;
  const losses = run.filter(byEnvironment).length;
  return growing(byEnvironment(last) ? losses : run.length - losses - FREE_RETURNS);
};

/** Whether a pause ends as soon as a worker is well again: not where only time can tell. */
export const endsWithCause = (attempts: readonly Attempt[]): boolean => {
  const last = attempts.at(-1)?.lost;
  return attempts.length < SPARING_FROM && (last === 'environment' || last === 'environment_version');
};

/** Until when a render that has used many attempts waits, so that the last ones are left for its last hours. */
export const sparedUntil = (
  attempts: readonly Attempt[],
  wait: EnvironmentWait | null,
  timeout_ms: number,
): number | null => {
  if (wait === null || attempts.length < SPARING_FROM) return null;
  const left = Math.max(1, MOST_ATTEMPTS - attempts.length);
  return wait.lost_at + Math.max(0, wait.since + timeout_ms - wait.lost_at) / left;
};

/**
 * Whether the store has said often enough that what the render is made of is lost: six times in a row, and to more than
 * one machine where there is more than one.
 */
export const payloadIsLost = (attempts: readonly Attempt[], elsewhere: boolean): boolean => {
  const losses = environmentLosses(attempts);
  const answers = losses.slice(losses.findLastIndex(({ lost }) => lost !== 'environment_payload') + 1);
  const machines = new Set(answers.map(({ worker_id }) => machineOf(worker_id)));
  return answers.length >= PAYLOAD_ANSWERS && (!elsewhere || machines.size > 1);
};

/**
 * Whether the environment has kept the render waiting for too long. One that only waits for its turn now, since a worker
 * would take it, is left to wait.
 *
 * @param takers whether any worker that takes attempts may have it
 */
export const waitedTooLong = (
  wait: EnvironmentWait | null,
  takers: boolean,
  clock: OwnClock,
  timeout_ms: number,
  now: number,
): boolean => {
  if (wait === null || now - wait.since < timeout_ms) return false;
  if (!isRunning(clock, now) || now - (clock.running_since ?? now) < Math.min(timeout_ms, GRACE_MS)) return false;
  return !takers || now - wait.lost_at <= Math.min(timeout_ms, GRACE_MS);
};
