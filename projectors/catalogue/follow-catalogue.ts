import type { Topic } from '../../platform/event-log/topics.ts';
import { createIndexes } from '../../platform/read-store/create-indexes.ts';
import { catalogueIndexes, catalogueModel } from '../../read-models/catalogue/model.ts';
import { processPartitions } from '../checkpoint/partition-processor.ts';
import { followTopic, groupOf } from '../follow-topic.ts';
import type { ReadModelSpec } from '../generations/follow-read-model.ts';
import type { ProjectorDeps } from '../projector-deps.ts';
import { catalogueProjection } from './projection.ts';

const EVENTS: Topic = 'catalogue-events';

/** Events of the catalogue -> its entities. */
export const catalogueReadModel = ({
  records,
  store,
  quarantine,
  metricsOf,
  logger,
  clock,
}: ProjectorDeps): ReadModelSpec => {
  const { log } = records;
  const { db } = store;
  return {
    read_model: 'catalogue',
    ends: async () => (await log.bounds(EVENTS)).map(({ end }) => end),
    checkpoints: (generation) => catalogueModel(db, generation).checkpoints,
    prepare: async (generation) => await createIndexes(db, catalogueIndexes(generation)),
    publishes: false,
    follow: async (served) => {
      const { generation } = served;
      const metrics = metricsOf(generation);
      const projection = catalogueProjection(EVENTS, db, generation);
      const follower = processPartitions(projection, { log, records, store, quarantine, metrics, logger, clock });
      return await followTopic(log, groupOf('catalogue-projector', served), EVENTS, follower, 1);
    },
  };
};
