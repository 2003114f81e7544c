import pLimit from 'p-limit';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { LeaseStore } from '../../read-models/leases/leases.ts';
import { type LeasedWork, startLeasedWork } from '../lease/lease.ts';
import { isPassDue } from '../sweeps/progress.ts';
import { createPassRunner, type Sweep, type SweepDependencies, type SweepsProgress } from '../sweeps/run-sweeps.ts';
import type { Shard } from './shards.ts';

export type ShardSweepDependencies = SweepDependencies & {
  readonly shards: readonly Shard[];
  readonly sweepOf: (shard: Shard) => Sweep;
  readonly leasesOf: (shard: Shard) => LeaseStore<SweepsProgress>;
  readonly holder: string;
  readonly mintVersion: () => string;
  readonly warn: Warn;
};

export type ShardSweeps = {
  /** When the last pass of the shard that was swept longest ago ended, in ms. Null until each shard has been swept. */
  readonly endedAt: () => number | null;
  readonly stop: () => Promise<void>;
};

/** The number of shards that one process sweeps at the same time. */
const SHARDS_AT_ONCE = 2;
const LOOK_EVERY_MS = 20_000;

/**
 * Sweeps each shard once a day, in the process that takes the shard's lease. If that process ends, another continues at
 * the same place.
 */
export const startShardSweeps = (parts: ShardSweepDependencies): ShardSweeps => {
  const { shards, sweepOf, leasesOf, holder, mintVersion, warn, clock } = parts;
  const turn = pLimit(SHARDS_AT_ONCE);
  const leased: readonly LeasedWork<SweepsProgress>[] = shards.map((shard) => {
    const sweep = sweepOf(shard);
    return startLeasedWork<SweepsProgress>({
      leases: leasesOf(shard),
      work: createPassRunner(sweep, parts),
      isDue: (progress) => isPassDue(progress?.[sweep.name], sweep.every_ms, clock.now()),
      look_every_ms: LOOK_EVERY_MS,
      turn,
      ...{ holder, mintVersion, clock, warn },
    });
  });
  return {
    endedAt: () => {
      const ends = leased.map((one) => one.progress()?.renders?.last?.ended_at ?? null);
      return ends.reduce(
        (least, end) => (least === null || end === null ? null : Math.min(least, end)),
        ends[0] ?? null,
      );
    },
    stop: async () => {
      await Promise.all(leased.map((one) => one.stop()));
    },
  };
};
