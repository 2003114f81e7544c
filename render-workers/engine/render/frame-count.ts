export type OnProgress = (progress: { readonly frames_done: number; readonly frames_total: number }) => void;

/**
 * Counts frames that are in every output, of `total`: cached ones at once, others as they are encoded. If parts occur
 * repeatedly, fewer frames are encoded than are missing, and each counts for more. Never decreases.
 */
export const countFrames = (total: number, report: OnProgress) => {
  const of_runs = new Map<number, number>();
  let cached = 0;
  let encoded = 0;
  let last = -1;
  const say = (frames: number): void => {
    if (frames <= last) return;
    last = frames;
    report({ frames_done: frames, frames_total: total });
  };
  return {
    begin: (frames_cached: number, frames_to_encode: number): void => {
      cached = frames_cached;
      encoded = frames_to_encode;
      say(cached);
    },
    /** Frames that the run with this number has encoded. */
    of_run: (run: number, frames: number): void => {
      of_runs.set(run, frames);
      const done = [...of_runs.values()].reduce((sum, of) => sum + of, 0);
      // Where somebody else was faster, frames were encoded here too that count for them.
      say(Math.min(total, cached + Math.floor(((total - cached) * done) / encoded)));
    },
  };
};

export type FrameCount = ReturnType<typeof countFrames>;
