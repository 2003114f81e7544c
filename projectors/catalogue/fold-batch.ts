import * as E from 'fp-ts/lib/Either.js';
import { type Entity, type EntityRef, isOfKind } from '../../domain/catalogue/entities.ts';
import { type CatalogueEvent, isCatalogueEvent } from '../../domain/catalogue/events.ts';
import { entitiesOf, evolveCatalogue } from '../../domain/catalogue/evolve.ts';
import type { CatalogueView } from '../../domain/catalogue/verdict.ts';
import type { Accept, BatchEntry } from '../../platform/processor/decode-batch.ts';
import { documentOfEntity } from '../../read-models/catalogue/codec.ts';
import type { CatalogueIgnoredDocument, EntityDocument } from '../../read-models/catalogue/documents.ts';

export type FoldedCatalogue = {
  /** Entities that changed, as they are after the batch. */
  readonly changed: readonly EntityDocument[];
  readonly ignored: readonly CatalogueIgnoredDocument[];
};

export const acceptEvent: Accept<CatalogueEvent> = (decoded) =>
  isCatalogueEvent(decoded) ? E.right(decoded) : E.left('wrong_topic');

/** Every entity that the fold of these entries may ask for, once each. */
export const entitiesNamed = (entries: readonly BatchEntry<CatalogueEvent>[]): readonly EntityRef[] => {
  const named = entries.flatMap((entry) => (entry.tag === 'event' ? entitiesOf(entry.event) : []));
  return [...new Map(named.map((ref) => [address(ref), ref])).values()];
};

const address = ({ kind, id }: EntityRef): string => `${kind} ${id}`;

/**
 * Folds a run of `catalogue-events`; later events see what earlier ones changed. Pure.
 *
 * @param before the entities that {@link entitiesNamed} lists, as far as they exist
 */
export const foldCatalogue = (
  before: readonly Entity[],
  entries: readonly BatchEntry<CatalogueEvent>[],
): FoldedCatalogue => {
  const entities = new Map(before.map((entity) => [address(entity), entity]));
  const view: CatalogueView = (kind, id) => {
    const entity = entities.get(address({ kind, id }));
    return entity !== undefined && isOfKind(kind)(entity) ? entity : null;
  };
  const changed = new Map<string, EntityDocument>();
  const ignored: CatalogueIgnoredDocument[] = [];

  for (const entry of entries) {
    if (entry.tag === 'poison') continue;
    const { record, event } = entry;
    const verdict = evolveCatalogue(view, event, record.append_time_ms);
    if (verdict.tag === 'ignored') {
      const { type, meta } = event;
      ignored.push({ _id: record.offset, type, event_id: meta.event_id, reason: verdict.reason });
      continue;
    }
    for (const entity of verdict.changes) {
      entities.set(address(entity), entity);
      changed.set(address(entity), documentOfEntity(entity, record.offset));
    }
  }
  return { changed: [...changed.values()], ignored };
};
