import type { WorkCost } from '../../domain/limits/failed-work.ts';

/** Measures what is done for one render, so that it can be counted where it was for nothing. */
export type WorkMeter = {
  /** A program that worked on files of the account has ended, and took so much CPU time. */
  readonly ran: (cpu_ms: number) => void;
  readonly fetched: (bytes: number) => void;
  readonly cost: () => WorkCost;
};

export const workMeter = (): WorkMeter => {
  let cpu_ms = 0;
  let fetched_bytes = 0;
  return {
    ran: (took_ms) => {
      cpu_ms += took_ms;
    },
    fetched: (bytes) => {
      fetched_bytes += bytes;
    },
    cost: () => ({ cpu_ms, fetched_bytes }),
  };
};
