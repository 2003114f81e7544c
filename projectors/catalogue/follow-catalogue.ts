import type { Topic } from '../../platform/event-log/topics.ts';
import { retry } from '../../platform/process/retry.ts';
import { createIndexes } from '../../platform/read-store/create-indexes.ts';
import { stoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import { catalogueCollectionsIn, catalogueIndexes } from '../../read-models/catalogue/model.ts';
import { readDocumentForm } from '../../read-models/embedded/generation-form.ts';
import { followProjection } from '../follow-projection.ts';
import type { ReadModelSpec } from '../generations/follow-read-model.ts';
import { createTextWait } from '../payload-reads.ts';
import { fillPending } from '../pending-texts/fill-pending.ts';
import { reportPending } from '../pending-texts/report-pending.ts';
import type { ProjectorDependencies } from '../projector-dependencies.ts';
import { pendingProjectTexts } from './fill-texts.ts';
import { payloadTexts } from './payload-texts.ts';
import { catalogueProjection } from './projection.ts';
import { NO_STORED_TEXTS, storedTextsOfServing } from './stored-texts.ts';

const EVENTS: Topic = 'catalogue-events';

export const catalogueReadModel = (deps: ProjectorDependencies): ReadModelSpec => {
  const { log } = deps.records;
  const { db } = deps.store;
  const { blobs, logger, clock, metricsOf, readiness } = deps;
  return {
    read_model: 'catalogue',
    ends: async () => (await log.bounds(EVENTS)).map(({ end }) => end),
    checkpoints: (generation) => catalogueCollectionsIn(db, generation).checkpoints,
    prepare: async (generation) => {
      const form = await readDocumentForm(db, 'catalogue', generation);
      await createIndexes(db, form.indexes(catalogueIndexes(generation)));
    },
    publishes: false,
    follow: async (served, role, throttle) => {
      const { generation } = served;
      const onFailure = (error: unknown): void => logger.warn({ error }, 'waiting for the store');
      const form = await retry(() => readDocumentForm(db, 'catalogue', generation), { clock, onFailure });
      const metrics = metricsOf(generation);
      const onCorrupt = (): void => metrics.foundCorrupt(EVENTS);
      const stored = role === 'building' ? storedTextsOfServing(db, generation) : NO_STORED_TEXTS;
      const end = async (): Promise<number> => (await log.reachableBounds(EVENTS))[0]?.end ?? 0;
      const wait = createTextWait(clock, end);
      const texts = payloadTexts({ blobs, stored, wait, logger, clock, onCorrupt });
      const projection = catalogueProjection(EVENTS, db, served, form, texts, clock);
      const following = await followProjection(projection, 'catalogue-projector', served, 1, throttle, deps);
      const report = reportPending({
        ...{ pending: catalogueCollectionsIn(db, generation).pending, topic: EVENTS, readiness, clock },
        ...{ group: `catalogue-texts-g${generation}`, what: 'texts of projects' },
        stops: stoppedPartitions(db, clock.now),
        counted: (count) => metrics.pendingTexts(EVENTS, count),
      });
      const filling = fillPending({
        ...pendingProjectTexts(db, generation, form, blobs),
        ...{ store: deps.store, committed: following.committed, onCorrupt, report, logger, clock },
      });
      return {
        stop: async () => {
          await filling.stop();
          await following.stop();
        },
      };
    },
  };
};
