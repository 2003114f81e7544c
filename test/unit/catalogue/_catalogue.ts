import { type Entity, type EntityKind, type EntityOf, isOfKind } from '../../../domain/catalogue/entities.ts';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { entitiesOf, evolveCatalogue } from '../../../domain/catalogue/evolve.ts';
import { distinctRefs, recordingView } from '../../../domain/catalogue/view.ts';

export const ofKind = <K extends EntityKind>(entity: Entity | undefined, kind: K): EntityOf<K> | null =>
  entity !== undefined && isOfKind(kind)(entity) ? entity : null;

/** Kinds of entities that are sums of others. */
export const COUNTS: readonly EntityKind[] = ['account_usage', 'account_member', 'team_roster', 'member_keys'];

/** Limit of rounds in which missing entities are loaded. In a projector, each round costs a query for the batch. */
const MAX_ROUNDS = 5;

/** Folds the events; like a projector, the view answers only for loaded entities, and loads missing ones. */
export const catalogue = (events: readonly CatalogueEvent[]) => {
  const entities = new Map<string, Entity>();
  const step = (event: CatalogueEvent, at: number) => {
    let loaded = entitiesOf(event);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const found = loaded.flatMap(({ kind, id }) => entities.get(`${kind} ${id}`) ?? []);
      const { view, missing } = recordingView(loaded, found);
      const verdict = evolveCatalogue(view, event, at);
      loaded = distinctRefs([...loaded, ...missing()]);
      if (missing().length > 0) continue;
      if (verdict.tag === 'accepted') for (const e of verdict.changes) entities.set(`${e.kind} ${e.id}`, e);
      return verdict;
    }
    throw new Error(`${event.type} asks again and again`);
  };
  const verdicts = events.map((event, i) => step(event, 100 + i));
  return { entities, verdicts, step };
};
