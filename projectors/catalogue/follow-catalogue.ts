import type { Topic } from '../../platform/event-log/topics.ts';
import { createIndexes } from '../../platform/read-store/create-indexes.ts';
import { catalogueIndexes, catalogueModel } from '../../read-models/catalogue/model.ts';
import { followProjection } from '../follow-projection.ts';
import type { ReadModelSpec } from '../generations/follow-read-model.ts';
import type { ProjectorDeps } from '../projector-deps.ts';
import { catalogueProjection } from './projection.ts';

const EVENTS: Topic = 'catalogue-events';

/** Events of the catalogue -> its entities. */
export const catalogueReadModel = (deps: ProjectorDeps): ReadModelSpec => {
  const { log } = deps.records;
  const { db } = deps.store;
  return {
    read_model: 'catalogue',
    ends: async () => (await log.bounds(EVENTS)).map(({ end }) => end),
    checkpoints: (generation) => catalogueModel(db, generation).checkpoints,
    prepare: async (generation) => await createIndexes(db, catalogueIndexes(generation)),
    publishes: false,
    follow: async (served, _role, hold) =>
      await followProjection(catalogueProjection(EVENTS, db, served), 'catalogue-projector', served, 1, hold, deps),
  };
};
