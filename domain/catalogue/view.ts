import { type Entity, type EntityKind, type EntityOf, type EntityRef, isOfKind } from './entities.ts';
import type { CatalogueView } from './verdict.ts';

const address = ({ kind, id }: EntityRef): string => `${kind} ${id}`;

export const distinctRefs = (refs: readonly EntityRef[]): readonly EntityRef[] => [
  ...new Map(refs.map((ref) => [address(ref), ref])).values(),
];

export type RecordingView = {
  readonly view: CatalogueView;
  readonly put: (entity: Entity) => void;
  /** Entities that a fold or a decision looked up but that were not loaded. If there are any, its result is invalid. */
  readonly missing: () => readonly EntityRef[];
};

/**
 * An event may lead to further entities, such as the account of its team. So the caller folds the event, loads the
 * missing entities, and folds the event again.
 *
 * @param loaded the entities that were queried
 * @param found the queried entities that exist
 */
export const recordingView = (loaded: readonly EntityRef[], found: readonly Entity[]): RecordingView => {
  const known = new Set(loaded.map(address));
  const entities = new Map(found.map((entity) => [address(entity), entity]));
  const lacking = new Map<string, EntityRef>();
  return {
    view: <K extends EntityKind>(kind: K, id: string): EntityOf<K> | null => {
      const at = address({ kind, id });
      const entity = entities.get(at);
      if (entity !== undefined) return isOfKind(kind)(entity) ? entity : null;
      if (!known.has(at)) lacking.set(at, { kind, id });
      return null;
    },
    put: (entity) => entities.set(address(entity), entity),
    missing: () => [...lacking.values()],
  };
};
