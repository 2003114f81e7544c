import type { WorkCost } from '../../domain/limits/failed-work.ts';

/** The cost counts against the account if the render fails. */
export type WorkMeter = {
  readonly addCpu: (cpu_ms: number) => void;
  readonly addFetchedBytes: (bytes: number) => void;
  readonly cost: () => WorkCost;
};

export const workMeter = (): WorkMeter => {
  let cpu_ms = 0;
  let fetched_bytes = 0;
  return {
    addCpu: (took_ms) => {
      cpu_ms += took_ms;
    },
    addFetchedBytes: (bytes) => {
      fetched_bytes += bytes;
    },
    cost: () => ({ cpu_ms, fetched_bytes }),
  };
};
