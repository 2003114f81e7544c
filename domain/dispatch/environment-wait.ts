import type { Attempt } from '../render/render.ts';
import { MAX_RENDER_ATTEMPTS } from './attempt-limits.ts';
import { isClockRunning, type SilenceClock } from './liveness.ts';
import { isCountedLoss, isEnvironmentLoss } from './loss-reasons.ts';
import { machineOf } from './machine.ts';

const FIRST_PAUSE_MS = 5_000;
export const MAX_ENVIRONMENT_PAUSE_MS = 900_000;

/** The first attempts that were drained or never started are retried at once. Pauses begin after this many. */
const FREE_RETURNS = 4;

/** From this attempt on, attempts are spread over the remaining time, so that some remain until the timeout. */
const SPARING_FROM = 50;

/**
 * A payload counts as lost after the store has answered this many times that it is missing or altered. The pauses
 * between the answers add up to over ten minutes.
 */
const PAYLOAD_ANSWERS = 6;

/** After its start or a disconnect, a dispatcher retries every render before it fails a render on timeout. */
const GRACE_MS = 2 * MAX_ENVIRONMENT_PAUSE_MS;

/** The wait of a render whose last losses were not its own fault, by the dispatcher's monotonic clock, ms. */
export type EnvironmentWait = {
  readonly since: number;
  readonly lost_at: number;
};

/** 5 s after the first loss, then three times as long after each further one, at most 15 minutes. */
const growing = (losses: number): number =>
  losses <= 0 ? 0 : Math.min(MAX_ENVIRONMENT_PAUSE_MS, FIRST_PAUSE_MS * 3 ** Math.min(losses - 1, 10));

const uncountedRun = (attempts: readonly Attempt[]): readonly Attempt[] => {
  const ended = attempts.filter(({ lost }) => lost !== null);
  return ended.slice(ended.findLastIndex(({ lost }) => lost === null || isCountedLoss(lost)) + 1);
};

const byEnvironment = ({ lost }: Attempt): boolean => lost !== null && isEnvironmentLoss(lost);

export const attemptsLostToEnvironment = (attempts: readonly Attempt[]): readonly Attempt[] =>
  uncountedRun(attempts).filter(byEnvironment);

export const environmentPauseMs = (attempts: readonly Attempt[]): number => {
  const run = uncountedRun(attempts);
  const last = run.at(-1);
  if (last === undefined) return 0;
  const losses = run.filter(byEnvironment).length;
  return growing(byEnvironment(last) ? losses : run.length - losses - FREE_RETURNS);
};

/** True if a pause ends as soon as a worker recovers; false if it lasts for its full time. */
export const doesPauseEndOnRecovery = (attempts: readonly Attempt[]): boolean => {
  const last = attempts.at(-1)?.lost;
  return attempts.length < SPARING_FROM && (last === 'environment' || last === 'environment_version');
};

export const deferredUntil = (
  attempts: readonly Attempt[],
  wait: EnvironmentWait | null,
  timeout_ms: number,
): number | null => {
  if (wait === null || attempts.length < SPARING_FROM) return null;
  const left = Math.max(1, MAX_RENDER_ATTEMPTS - attempts.length);
  return wait.lost_at + Math.max(0, wait.since + timeout_ms - wait.lost_at) / left;
};

/**
 * True after six answers in a row that the payload is missing or altered. If another machine is available, the answers
 * must come from more than one machine.
 */
export const isPayloadLost = (attempts: readonly Attempt[], elsewhere: boolean): boolean => {
  const losses = attemptsLostToEnvironment(attempts);
  const answers = losses.slice(losses.findLastIndex(({ lost }) => lost !== 'environment_payload') + 1);
  const machines = new Set(answers.map(({ worker_id }) => machineOf(worker_id)));
  return answers.length >= PAYLOAD_ANSWERS && (!elsewhere || machines.size > 1);
};

/**
 * True if the render has waited for `timeout_ms` and should fail. If a worker could take the render, it only waits for
 * its turn, and fails only if its last loss is recent.
 *
 * @param takers whether any worker that accepts attempts may take the render
 */
export const isEnvironmentWaitOver = (
  wait: EnvironmentWait | null,
  takers: boolean,
  clock: SilenceClock,
  timeout_ms: number,
  now: number,
): boolean => {
  if (wait === null || now - wait.since < timeout_ms) return false;
  if (!isClockRunning(clock, now) || now - (clock.running_since ?? now) < Math.min(timeout_ms, GRACE_MS)) return false;
  return !takers || now - wait.lost_at <= Math.min(timeout_ms, GRACE_MS);
};
