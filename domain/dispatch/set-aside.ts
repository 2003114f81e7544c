import type { SetAside } from './heartbeats.ts';
import { isCountedLoss, isEnvironmentLoss } from './loss-reasons.ts';

const LOSSES_IN_A_ROW = 3;

const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 900_000;
const FORGOTTEN_MS = 3_600_000;
const MAX_REMEMBERED = 10_000;

export type LossStreak = {
  /**
   * The renders and workers of the counted losses. Further losses of the same render, or from the same crash, do not
   * count.
   */
  readonly counted_sources: readonly string[];
  readonly count: number;
  readonly losses: number;
  readonly pauses: number;
  /** The end of the last pause; null before the first. After it, the machine gets one attempt at a time. */
  readonly until: number | null;
  readonly last_at: number;
};

/** The losses in a row of each machine, by machine id, because a worker has another id after a crash. */
export type LossStreaks = ReadonlyMap<string, LossStreak>;

/** True if a loss may be the machine's fault: a drained worker or a lost payload is not. */
export const countsAgainstMachine = (reason: string): boolean =>
  reason === 'never_started' ||
  isCountedLoss(reason) ||
  (isEnvironmentLoss(reason) && reason !== 'environment_payload');

/** 10 s, then three times as long for each further pause, at most 15 minutes. */
const pauseMs = (pauses: number): number => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 3 ** Math.min(pauses - 1, 10));

export const isSetAside = (streak: LossStreak | undefined, now: number): boolean =>
  streak !== undefined && streak.until !== null && now < streak.until;

export const isOnProbation = (streak: LossStreak | undefined): boolean => streak !== undefined && streak.until !== null;

export type LostAttempt = { readonly render_id: string; readonly worker_id: string; readonly reason: string };

const tellers = ({ render_id, worker_id, reason }: LostAttempt): readonly string[] =>
  reason === 'crashed' || reason === 'never_started' ? [render_id, worker_id] : [render_id];

const NO_STREAK: Omit<LossStreak, 'last_at'> = { counted_sources: [], count: 0, losses: 0, pauses: 0, until: null };

export const addLoss = (streak: LossStreak | undefined, loss: LostAttempt, now: number): LossStreak => {
  const before = streak ?? NO_STREAK;
  const next: LossStreak = { ...before, losses: before.losses + 1, last_at: now };
  // The attempt began before the pause, so its loss does not count again.
  if (before.until !== null && now < before.until) return next;
  const by = tellers(loss);
  if (before.until === null && by.some((one) => before.counted_sources.includes(one))) return next;
  const counted = {
    ...next,
    count: before.count + 1,
    counted_sources: before.until === null ? [...before.counted_sources, ...by] : [],
  };
  if (counted.count < LOSSES_IN_A_ROW) return counted;
  const pauses = before.pauses + 1;
  return { ...counted, pauses, until: now + pauseMs(pauses) };
};

export const machinesSetAside = (streaks: LossStreaks, most: number, now: number): readonly SetAside[] =>
  [...streaks]
    .flatMap(([machine_id, { losses, until }]) =>
      until !== null && now < until ? [{ machine_id, losses, left_ms: Math.ceil(until - now) }] : [],
    )
    .sort((a, b) => b.left_ms - a.left_ms)
    .slice(0, most);

/** Drops machines without a loss for an hour after their pause, and the oldest ones above the limit. */
export const withoutForgottenStreaks = (streaks: LossStreaks, now: number): LossStreaks => {
  const kept = [...streaks].filter(([, { last_at, until }]) => now - Math.max(last_at, until ?? 0) <= FORGOTTEN_MS);
  return kept.length === streaks.size && kept.length <= MAX_REMEMBERED ? streaks : new Map(kept.slice(-MAX_REMEMBERED));
};
