import type { Topic } from '../../platform/event-log/topics.ts';
import { createIndexes } from '../../platform/read-store/create-indexes.ts';
import { catalogueIndexes, catalogueModel } from '../../read-models/catalogue/model.ts';
import { followProjection } from '../follow-projection.ts';
import type { ReadModelSpec } from '../generations/follow-read-model.ts';
import type { ProjectorDeps } from '../projector-deps.ts';
import { payloadTexts } from './payload-texts.ts';
import { catalogueProjection } from './projection.ts';
import { NONE_STORED, textsOfServing } from './stored-texts.ts';

const EVENTS: Topic = 'catalogue-events';

/** Events of the catalogue -> its entities. */
export const catalogueReadModel = (deps: ProjectorDeps): ReadModelSpec => {
  const { log } = deps.records;
  const { db } = deps.store;
  const { blobs, logger, clock, metricsOf } = deps;
  return {
    read_model: 'catalogue',
    ends: async () => (await log.bounds(EVENTS)).map(({ end }) => end),
    checkpoints: (generation) => catalogueModel(db, generation).checkpoints,
    prepare: async (generation) => await createIndexes(db, catalogueIndexes(generation)),
    publishes: false,
    follow: async (served, role, hold) => {
      const stored = role === 'made' ? textsOfServing(db, served.generation) : NONE_STORED;
      const texts = payloadTexts(blobs, stored, logger, clock, () => metricsOf(served.generation).foundCorrupt(EVENTS));
      const projection = catalogueProjection(EVENTS, db, served, texts);
      return await followProjection(projection, 'catalogue-projector', served, 1, hold, deps);
    },
  };
};
