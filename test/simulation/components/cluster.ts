import { Registry } from 'prom-client';
import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';
import type { VersionedBlob, VersionedBlobs } from '../../../platform/blob-store/versioned-blobs.ts';
import { createLogger, type Logger } from '../../../platform/logging/logger.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import { createSealOpener, type SealedRecord, type SealOpener } from '../../../platform/seals/opener.ts';
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

/** A process opened the text of a record. `began` is the time of its call, ms. */
export type Opened = { readonly by: string; readonly record: SealedRecord; readonly began: number };

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
  readonly opened: (opened: Opened) => void;
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
  /** Key trees for who seals and opens texts. */
  readonly cached_blobs: VersionedBlobs;
  readonly seals: SealOpener;
  readonly catchUp: CatchUp;
  readonly crash: (error: unknown) => void;
};

const LOGGER = createLogger('simulation', process.env.LOGS === '1' ? 'debug' : 'silent');

export type Disorder = {
  readonly says?: (record: AnyRecord) => AnyRecord;
  readonly reads?: (path: string, bytes: Buffer) => Buffer;
};

/** Later reads return the first version. */
const withoutExpiry = (blobs: VersionedBlobs): VersionedBlobs => {
  const known = new Map<string, VersionedBlob>();
  return {
    ...blobs,
    read: async (path) => {
      const found = known.get(path) ?? (await blobs.read(path));
      if (found !== null) known.set(path, found);
      return found;
    },
  };
};

const watchedOpener = ({ world, opened }: Cluster, { name }: Life, opener: SealOpener): SealOpener => ({
  open: async (record, signal) => {
    const began = world.scheduler.now();
    const opening = await opener.open(record, signal);
    if (opening.state === 'open') opened({ by: name, record, began });
    return opening;
  },
});

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
  const key_blobs = openSimulatedVersionedBlobs(world, cluster.blobs, life);
  const cached_blobs = mutants.has('cache_forever') ? withoutExpiry(key_blobs) : key_blobs;
  return {
    ...{ life, clock: life.clock, metrics: new Registry(), store },
    logger: LOGGER.child({ life: life.name }),
    records: openSimulatedRecords(log, disorder.says),
    blobs: openSimulatedBlobs(world, cluster.blobs, life, disorder.reads),
    ...{ key_blobs, cached_blobs },
    seals: watchedOpener(cluster, life, createSealOpener(cached_blobs, life.clock)),
    catchUp: mutants.has('restored_store_serves') ? async () => [] : openCatchUp(store.db, life.clock),
    crash: life.crash,
  };
};
