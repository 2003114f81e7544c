import type { WorkCost } from '../../domain/limits/failed-work.ts';

/** Measures what is done for one render, so that it can be counted where it was for nothing. */
export type WorkMeter = {
  /** Runs what has programs work on files of the account. */
  readonly programs: <A>(run: () => Promise<A>) => Promise<A>;
  readonly fetched: (bytes: number) => void;
  readonly cost: () => WorkCost;
};

/**
 * CPU time is taken to be the time that programs ran for, by the clock: too little for those that have several threads,
 * too much on a machine that is busy. THE PLACE FOR A BETTER FIGURE: whoever runs the programs and knows the CPU time of
 * their process group adds it to `cpu_ms` here, in place of what `programs` measures.
 */
export const workMeter = (now_ms: () => number = () => performance.now()): WorkMeter => {
  let cpu_ms = 0;
  let fetched_bytes = 0;
  return {
    programs: async (run) => {
      const began = now_ms();
      try {
        return await run();
      } finally {
        cpu_ms += now_ms() - began;
      }
    },
    fetched: (bytes) => {
      fetched_bytes += bytes;
    },
    cost: () => ({ cpu_ms, fetched_bytes }),
  };
};
