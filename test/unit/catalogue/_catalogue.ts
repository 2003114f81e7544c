import { type Entity, type EntityKind, type EntityOf, isOfKind } from '../../../domain/catalogue/entities.ts';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { entitiesOf, evolveCatalogue } from '../../../domain/catalogue/evolve.ts';
import type { CatalogueView } from '../../../domain/catalogue/verdict.ts';

export const ofKind = <K extends EntityKind>(entity: Entity | undefined, kind: K): EntityOf<K> | null =>
  entity !== undefined && isOfKind(kind)(entity) ? entity : null;

/** Folds the events; the view answers only for what `entitiesOf` announced, as a projector's would. */
export const catalogue = (events: readonly CatalogueEvent[]) => {
  const entities = new Map<string, Entity>();
  const step = (event: CatalogueEvent, at: number) => {
    const announced = new Set(entitiesOf(event).map(({ kind, id }) => `${kind} ${id}`));
    const view: CatalogueView = (kind, id) =>
      announced.has(`${kind} ${id}`) ? ofKind(entities.get(`${kind} ${id}`), kind) : null;
    const verdict = evolveCatalogue(view, event, at);
    if (verdict.tag === 'accepted') for (const e of verdict.changes) entities.set(`${e.kind} ${e.id}`, e);
    return verdict;
  };
  const verdicts = events.map((event, i) => step(event, 100 + i));
  return { entities, verdicts, step };
};
