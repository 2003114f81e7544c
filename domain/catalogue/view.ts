import { type Entity, type EntityKind, type EntityOf, type EntityRef, isOfKind } from './entities.ts';
import type { CatalogueView } from './verdict.ts';

const address = ({ kind, id }: EntityRef): string => `${kind} ${id}`;

export const distinctRefs = (refs: readonly EntityRef[]): readonly EntityRef[] => [
  ...new Map(refs.map((ref) => [address(ref), ref])).values(),
];

export type RecordingView = {
  readonly view: CatalogueView;
  readonly put: (entity: Entity) => void;
  /** Entities that were looked up but not loaded. If there are any, the result of the step is invalid. */
  readonly missing: () => readonly EntityRef[];
};

/**
 * The id of an entity may be in another entity, such as the account of a team. So the caller runs the step, loads the
 * missing entities, and runs the step again.
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
