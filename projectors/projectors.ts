import type { Registry } from 'prom-client';
import type { Logger } from '../platform/logging/logger.ts';
import type { Clock } from '../platform/process/clock.ts';
import { retry } from '../platform/process/retry.ts';
import { createIndexes, dropIndexes } from '../platform/read-store/create-indexes.ts';
import type { ReadStore } from '../platform/read-store/read-store.ts';
import { STOPPED_PARTITIONS_INDEXES } from '../platform/read-store/stopped-partitions.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import { hasSlowLists } from '../read-models/embedded/generation-form.ts';
import { CREDIT_LEASE_INDEXES } from '../read-models/limits/credit-leases.ts';
import { RATE_BUCKET_INDEXES } from '../read-models/limits/rate-buckets.ts';
import { OBSOLETE_INDEXES } from '../read-models/obsolete-indexes.ts';
import { quarantineCollection } from '../read-models/quarantine.ts';
import { IGNORED_SEAL_INDEXES } from '../read-models/renders/ignored-seals.ts';
import { liveProgress } from '../read-models/renders/live-progress.ts';
import { COMMON_RENDER_INDEXES } from '../read-models/renders/model.ts';
import { STORED_FILE_INDEXES } from '../read-models/stored-files/stored-files.ts';
import { UPLOAD_INDEXES } from '../read-models/uploads/uploads.ts';
import { catalogueReadModel } from './catalogue/follow-catalogue.ts';
import { createProjectionMetrics } from './checkpoint/projection-metrics.ts';
import { QUARANTINE_INDEXES } from './checkpoint/quarantine.ts';
import { followReadModel, openGenerations } from './generations/follow-read-model.ts';
import { countFailedAttempts } from './live-progress/failed-attempts.ts';
import { followProgress } from './live-progress/live-progress.ts';
import type { ProjectorDependencies } from './projector-dependencies.ts';
import { renderReadModel } from './render/follow-renders.ts';
import { createRenderMetrics } from './render/render-metrics.ts';
import { createSampleMetrics } from './verification/sample-renders.ts';

export type StartProjectorsDependencies = {
  readonly records: RecordLog;
  readonly store: ReadStore;
  readonly blobs: ProjectorDependencies['blobs'];
  readonly seals: ProjectorDependencies['seals'];
  readonly registry: Registry;
  readonly readiness: ProjectorDependencies['readiness'];
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random?: () => number;
};

export type Projectors = {
  readonly stop: () => Promise<void>;
};

export const startProjectors = async ({
  records,
  store,
  blobs,
  seals,
  registry,
  readiness,
  logger,
  clock,
  random,
}: StartProjectorsDependencies): Promise<Projectors> => {
  const { db } = store;
  const quarantine = quarantineCollection(db);
  const deps: ProjectorDependencies = {
    records,
    store,
    blobs,
    seals,
    logger,
    clock,
    quarantine,
    readiness,
    metricsOf: createProjectionMetrics(registry),
    renderMetrics: createRenderMetrics(registry),
    ...(random === undefined ? {} : { sampling: { random, metrics: createSampleMetrics(registry) } }),
  };
  const openModels = async () => {
    await createIndexes(
      db,
      new Map([
        ...QUARANTINE_INDEXES,
        ...STOPPED_PARTITIONS_INDEXES,
        ...COMMON_RENDER_INDEXES,
        ...IGNORED_SEAL_INDEXES,
        ...RATE_BUCKET_INDEXES,
        ...CREDIT_LEASE_INDEXES,
        ...UPLOAD_INDEXES,
        ...STORED_FILE_INDEXES,
      ]),
    );
    await dropIndexes(db, OBSOLETE_INDEXES);
    const specs = [renderReadModel(deps), catalogueReadModel(deps)];
    return await Promise.all(
      specs.map(async (spec) => {
        const { read_model } = spec;
        const claim = await openGenerations(db, spec);
        const { generation } = claim.own;
        if (await hasSlowLists(db, read_model, generation))
          logger.warn(
            { read_model, generation },
            `lists are slow: MongoDB's form on the embedded store; run "renderctl rebuild ${read_model}"`,
          );
        return { spec, claim };
      }),
    );
  };
  const onFailure = (error: unknown): void => logger.warn({ error }, 'waiting for the store and the log');
  const models = await retry(openModels, { clock, onFailure });
  const [live, ...following] = await Promise.all([
    followProgress(records, liveProgress(db), countFailedAttempts(db, clock), logger, clock),
    ...models.map(async ({ spec, claim }) => await followReadModel(claim, spec, deps)),
  ]);
  return {
    stop: async () => {
      await Promise.all(following.map(async (model) => await model.stop()));
      await live.stop();
    },
  };
};
