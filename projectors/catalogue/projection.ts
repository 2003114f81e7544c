import type { ClientSession, Collection, Db } from 'mongodb';
import type { Entity, EntityKind, EntityRef } from '../../domain/catalogue/entities.ts';
import type { CatalogueEvent } from '../../domain/catalogue/events.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import { catalogueCollections } from '../../read-models/collections.ts';
import type { Projection } from '../checkpoint/projection.ts';
import { type EntityDocument, entityOfDocument } from './documents.ts';
import { acceptEvent, entitiesNamed, type FoldedCatalogue, foldCatalogue } from './fold-batch.ts';

/** Events of the catalogue -> one document for each entity. Publishes nothing. */
export const catalogueProjection = (
  topic: Topic,
  db: Db,
  generation: number,
): Projection<CatalogueEvent, FoldedCatalogue> => {
  const names = catalogueCollections(generation);
  const entities = (kind: EntityKind): Collection<EntityDocument> =>
    db.collection<EntityDocument>(names.entities[kind]);

  const find = async (refs: readonly EntityRef[], session: ClientSession): Promise<readonly Entity[]> => {
    const found: Entity[] = [];
    // One after the other: a session takes one operation at a time.
    for (const [kind, named] of Map.groupBy(refs, (ref) => ref.kind)) {
      const documents = await entities(kind)
        .find({ _id: { $in: named.map(({ id }) => id) } }, { session })
        .toArray();
      found.push(...documents.map((document) => entityOfDocument(document)));
    }
    return found;
  };

  return {
    topic,
    checkpoints: db.collection<CheckpointDocument>(names.checkpoints),
    accept: acceptEvent,
    begin: async (_partition, next) => next,
    repeat: async () => undefined,
    load: async (runs, session) => {
      const before = await find(entitiesNamed(runs.flatMap(({ entries }) => entries)), session);
      return ({ entries }) => ({ after: foldCatalogue(before, entries), passed: entries.length, stop: null });
    },
    writes: ({ changed, ignored }) => [
      ...changed.map(({ _id, ...replacement }) => ({
        collection: names.entities[replacement.kind],
        operations: [{ replaceOne: { filter: { _id }, replacement, upsert: true } }],
      })),
      { collection: names.ignored, operations: ignored.map((document) => ({ insertOne: { document } })) },
    ],
    committed: async () => undefined,
  };
};
