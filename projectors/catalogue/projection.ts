import type { Entity, EntityRef } from '../../domain/catalogue/entities.ts';
import type { CatalogueEventWithTexts } from '../../domain/catalogue/events.ts';
import { distinctRefs } from '../../domain/catalogue/view.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { entityOfDocument } from '../../read-models/catalogue/codec.ts';
import { catalogueCollectionsIn } from '../../read-models/catalogue/model.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import { AUDIT_SINCE, type ServingGeneration } from '../../read-models/generations.ts';
import { auditWrite } from '../checkpoint/audit-write.ts';
import type { Projection, Session } from '../checkpoint/projection.ts';
import { pendingWrite } from '../pending-texts/pending-write.ts';
import { acceptCatalogueEvent, type FoldedCatalogue, foldCatalogue, referencedEntities } from './fold-batch.ts';
import type { PayloadTexts } from './payload-texts.ts';

const MAX_DROPPED_AT_ONCE = 1_000;

const chunked = <A>(all: readonly A[], most: number): readonly (readonly A[])[] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, n) => all.slice(n * most, (n + 1) * most));

export const catalogueProjection = (
  topic: Topic,
  db: ReadStore['db'],
  { generation, model_version }: ServingGeneration,
  form: DocumentForm,
  texts: PayloadTexts,
  clock: Pick<Clock, 'now'>,
): Projection<CatalogueEventWithTexts, FoldedCatalogue> => {
  const { entities, ignored, audit, pending, checkpoints } = catalogueCollectionsIn(db, generation);

  const find = async (refs: readonly EntityRef[], session: Session): Promise<readonly Entity[]> => {
    const found: Entity[] = [];
    // One query after the other, because a session runs one operation at a time.
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
    checkpoints,
    accept: acceptCatalogueEvent,
    begin: async (_partition, next) => ({ begin: next, publishedUntil: 0 }),
    repeat: async () => undefined,
    prepare: texts,
    load: async (runs, session) => {
      let loaded = referencedEntities(runs.flatMap(({ entries }) => entries));
      let before = await find(loaded, session);
      // A loaded entity may name another one: an event of a team needs the team's account. The loop ends because each
      // round loads new entities.
      for (;;) {
        const folds = new Map(runs.map((run) => [run, foldCatalogue(loaded, before, run.entries)]));
        const lacking = distinctRefs([...folds.values()].flatMap((fold) => fold.missing));
        if (lacking.length === 0) return (run) => folds.get(run) ?? foldCatalogue(loaded, before, run.entries);
        before = [...before, ...(await find(lacking, session))];
        loaded = [...loaded, ...lacking];
      }
    },
    writes: (folded) => [
      ...folded.changed.map(form.entity).map(({ _id, ...replacement }) => ({
        collection: entities(replacement.kind).collectionName,
        operations: [{ replaceOne: { filter: { _id }, replacement, upsert: true } }],
      })),
      ...folded.dropped.map(({ kind, ids }) => ({
        collection: entities(kind).collectionName,
        operations: chunked(ids, MAX_DROPPED_AT_ONCE).map((some) => ({
          deleteMany: { filter: { _id: { $in: [...some] } } },
        })),
      })),
      {
        collection: pending.collectionName,
        operations: [
          ...folded.erased.map((project_id) => ({ deleteMany: { filter: { project_id } } })),
          ...folded.pending.map((one) => pendingWrite(one, clock.now())),
        ],
      },
      {
        collection: ignored.collectionName,
        operations: folded.ignored.map((document) => ({ insertOne: { document } })),
      },
      ...(model_version < AUDIT_SINCE
        ? []
        : [{ collection: audit.collectionName, operations: folded.audit.map((entry) => auditWrite(form, entry)) }]),
    ],
    committed: async () => undefined,
  };
};
