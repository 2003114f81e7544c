import { type Entity, type EntityKind, type EntityOf, type EntityRef, isOfKind } from './entities.ts';
import type { CatalogueView } from './verdict.ts';

const address = ({ kind, id }: EntityRef): string => `${kind} ${id}`;

/** Each of them once. */
export const distinct = (refs: readonly EntityRef[]): readonly EntityRef[] => [
  ...new Map(refs.map((ref) => [address(ref), ref])).values(),
];

/** What is known of the catalogue, and what was asked of it that is not. */
export type NotingView = {
  readonly view: CatalogueView;
  /** From here on the view answers with this one. */
  readonly put: (entity: Entity) => void;
  /** What was asked for and not loaded: an answer that came of it does not count. */
  readonly lacking: () => readonly EntityRef[];
};

/**
 * A view that notes what it lacks. Which entities a step needs is known only from others (of a team's record, the account
 * of the team): so it is made, and where it lacked something, made again with that loaded.
 *
 * @param loaded those that were looked for
 * @param found those of them that exist
 */
export const noting = (loaded: readonly EntityRef[], found: readonly Entity[]): NotingView => {
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
    lacking: () => [...lacking.values()],
  };
};
