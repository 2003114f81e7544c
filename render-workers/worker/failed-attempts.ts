import type { FailedAttempt } from '../../domain/dispatch/heartbeats.ts';

/** How long a failed attempt is reported: in several heartbeats, because one may be lost. */
const SHOWN_MS = 15_000;
const MAX_SHOWN = 100;

/** Heartbeats report failed attempts, because workers have no connection to the read store. */
export const failedAttempts = (now_ms: () => number) => {
  let kept: readonly { readonly attempt: FailedAttempt; readonly until: number }[] = [];
  return {
    add: (attempt: FailedAttempt): void => {
      kept = [...kept, { attempt, until: now_ms() + SHOWN_MS }].slice(-MAX_SHOWN);
    },
    shown: (): readonly FailedAttempt[] => {
      kept = kept.filter(({ until }) => now_ms() < until);
      return kept.map(({ attempt }) => attempt);
    },
  };
};
