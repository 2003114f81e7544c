import { Registry } from 'prom-client';
import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';
import type { VersionedBlobs } from '../../../platform/blob-store/versioned-blobs.ts';
import { createLogger, type Logger } from '../../../platform/logging/logger.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import { type CatchUp, openCatchUp } from '../../../read-models/catch-up.ts';
import type { AnyRecord } from '../../../schemas/any-record.ts';
import { type BlobServer, openSimulatedBlobs } from '../blobs.ts';
import type { Brokers } from '../log/brokers.ts';
import { openSimulatedLog, openSimulatedRecords } from '../log/event-log.ts';
import type { Groups, Member } from '../log/groups.ts';
import type { Machine } from '../machine/machines.ts';
import type { Mutant } from '../mutants.ts';
import { openSimulatedStore, type StoreServer } from '../store/read-store.ts';
import { openSimulatedVersionedBlobs } from '../versioned-blobs.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';

export type Cluster = {
  readonly world: World;
  readonly brokers: Brokers;
  readonly groups: Groups;
  readonly members: Map<Member, string>;
  readonly store: StoreServer;
  readonly blobs: BlobServer;
  readonly machines: readonly Machine[];
  readonly mutants: ReadonlySet<Mutant>;
  readonly environment_timeout_ms: number;
};

export type Context = {
  readonly life: Life;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly records: RecordLog;
  readonly store: ReadStore;
  readonly blobs: BlobStore;
  readonly key_blobs: VersionedBlobs;
  readonly catchUp: CatchUp;
  readonly crash: (error: unknown) => void;
};

const LOGGER = createLogger('simulation', process.env.LOGS === '1' ? 'debug' : 'silent');

export type Disorder = {
  readonly says?: (record: AnyRecord) => AnyRecord;
  readonly reads?: (path: string, bytes: Buffer) => Buffer;
};

export const contextOf = (cluster: Cluster, life: Life, disorder: Disorder = {}): Context => {
  const { world, brokers, groups, members, mutants } = cluster;
  const log = openSimulatedLog({
    ...{ world, brokers, groups, life, members },
    positions_block: mutants.has('positions_block'),
  });
  const store = openSimulatedStore(world, cluster.store, life, {
    credits_apart: mutants.has('credits_apart'),
    lag_of_all: mutants.has('lag_of_all'),
    own_time: mutants.has('host_clocks_compared'),
    lists_nothing: mutants.has('left_keeps_names'),
  });
  return {
    ...{ life, clock: life.clock, metrics: new Registry(), store },
    logger: LOGGER.child({ life: life.name }),
    records: openSimulatedRecords(log, disorder.says),
    blobs: openSimulatedBlobs(world, cluster.blobs, life, disorder.reads),
    key_blobs: openSimulatedVersionedBlobs(world, cluster.blobs, life),
    catchUp: mutants.has('restored_store_serves') ? async () => [] : openCatchUp(store.db, life.clock),
    crash: life.crash,
  };
};
