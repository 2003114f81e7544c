import type { FrameProgress } from './attempt-events.ts';

export type AttemptProgress = {
  readonly now: () => FrameProgress;
  readonly report: (now: FrameProgress) => void;
  /** Resolves when the log has the first progress, or at once without any progress. */
  readonly firstAppended: () => Promise<void>;
};

/** The progress of an attempt. Heartbeats show all of it; the log gets only the first progress. */
export const attemptProgress = (
  frames_total: number,
  appendFirst: (progress: FrameProgress) => Promise<void>,
): AttemptProgress => {
  let progress: FrameProgress = { frames_done: 0, frames_total };
  let first: Promise<void> | null = null;
  return {
    now: () => progress,
    report: (now) => {
      progress = now;
      if (now.frames_done === 0 || first !== null) return;
      first = appendFirst(now);
      // Only avoids an unhandled rejection: the attempt awaits `first` before it ends.
      first.catch(() => undefined);
    },
    firstAppended: async () => {
      await first;
    },
  };
};
