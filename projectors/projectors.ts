import type { Db } from 'mongodb';
import type { Registry } from 'prom-client';
import type { EventLog, Subscription } from '../platform/event-log/event-log.ts';
import { partitionOfKey } from '../platform/event-log/partition-of-key.ts';
import type { Topic } from '../platform/event-log/topics.ts';
import type { Logger } from '../platform/logging/logger.ts';
import type { ReadStore } from '../platform/read-store/read-store.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import { COLLECTIONS, type GenerationDocument, renderCollections } from '../schemas/read-models/collections.ts';
import type {
  CaughtUpDocument,
  CheckpointDocument,
  LiveProgressDocument,
  QuarantineDocument,
  RenderDocument,
} from '../schemas/read-models/render-document.ts';
import { catalogueProjection } from './catalogue/projection.ts';
import { backOff, NEVER } from './checkpoint/back-off.ts';
import { type Follower, type FollowerDeps, followPartitions } from './checkpoint/partition-follower.ts';
import { createProjectionMetrics } from './checkpoint/projection-metrics.ts';
import { currentGeneration } from './generations.ts';
import { createIndexes } from './indexes.ts';
import { followProgress } from './live-progress/live-progress.ts';
import { reportCaughtUp } from './render/caught-up.ts';
import { renderProjection } from './render/projection.ts';
import { createPublish } from './render/publish.ts';
import { publishPosition } from './render/publish-position.ts';

const RENDER_EVENTS = 'render-events';
const RENDER_STATUS = 'render-status';
const CATALOGUE_EVENTS = 'catalogue-events';
const PARTITIONS_AT_ONCE = 4;

export type ProjectorsDeps = {
  readonly records: RecordLog;
  readonly store: ReadStore;
  readonly registry: Registry;
  readonly logger: Logger;
};

export type Projectors = {
  /** Finishes the batches under way and leaves the groups. */
  readonly stop: () => Promise<void>;
};

const subscribe = async (
  log: EventLog,
  group: string,
  topic: Topic,
  follower: Follower,
  concurrency: number,
): Promise<Subscription> =>
  await log.subscribe({
    group,
    topics: [topic],
    position: follower.position,
    on_batch: follower.onBatch,
    on_revoked: async (_topic, partitions) => await follower.release(partitions),
    concurrency,
  });

/** At a start everything may still be on its way up: readiness says what is missing, and the start goes on. */
const patiently = async <A>(what: string, logger: Logger, work: () => Promise<A>): Promise<A> => {
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      logger.warn({ error }, `waiting for ${what}`);
      await backOff(failures, NEVER);
    }
  }
};

const prepareStore = async (db: Db): Promise<{ readonly renders: number; readonly catalogue: number }> => {
  const generations = db.collection<GenerationDocument>(COLLECTIONS.generations);
  const renders = await currentGeneration(generations, 'renders');
  const catalogue = await currentGeneration(generations, 'catalogue');
  await createIndexes(db, renders, catalogue);
  return { renders, catalogue };
};

/** Starts both projectors and the live progress; resolves once each has joined its group. */
export const startProjectors = async ({ records, store, registry, logger }: ProjectorsDeps): Promise<Projectors> => {
  const { log } = records;
  const { db } = store;
  const { renders, catalogue } = await patiently('the store', logger, async () => await prepareStore(db));
  const { length: partitions } = await patiently('the log', logger, async () => await log.bounds(RENDER_EVENTS));

  const metrics = createProjectionMetrics(registry);
  const quarantine = db.collection<QuarantineDocument>(COLLECTIONS.quarantine);
  const deps: FollowerDeps = { log, records, store, quarantine, metrics, logger };
  const names = renderCollections(renders);
  const renderFollower = followPartitions(
    renderProjection({
      topic: RENDER_EVENTS,
      partitionOf: (key) => partitionOfKey(key, partitions),
      renders: db.collection<RenderDocument>(names.renders),
      checkpoints: db.collection<CheckpointDocument>(names.checkpoints),
      publish: createPublish(records, RENDER_STATUS, metrics, logger),
      published: async (partition) => await publishPosition(log, records, partition),
    }),
    deps,
  );
  const catalogueFollower = followPartitions(catalogueProjection(CATALOGUE_EVENTS, db, catalogue), deps);

  const subscriptions = await Promise.all([
    subscribe(log, 'render-projector', RENDER_EVENTS, renderFollower, PARTITIONS_AT_ONCE),
    subscribe(log, 'catalogue-projector', CATALOGUE_EVENTS, catalogueFollower, 1),
    followProgress(log, records, db.collection<LiveProgressDocument>(COLLECTIONS.live_progress), logger),
  ]);
  const caughtUp = db.collection<CaughtUpDocument>(names.caught_up);
  const reporting = reportCaughtUp(log, RENDER_EVENTS, caughtUp, renderFollower.held, logger);

  return {
    stop: async () => {
      await reporting.stop();
      // What is committed and not yet published is published by whoever comes next.
      await Promise.all([renderFollower.stop(), catalogueFollower.stop()]);
      await Promise.all(subscriptions.map(async (subscription) => await subscription.stop()));
    },
  };
};
