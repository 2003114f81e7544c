import * as E from 'fp-ts/lib/Either.js';
import { type EntityOf, isErased, isOfKind } from '../domain/catalogue/entities.ts';
import type { CatalogueReadModel, NonProjectKind } from '../read-models/catalogue/management.ts';
import type { CatalogueFault } from './fault.ts';

/** Left: `missing`, also for an erased user. An erased account is found, because its credits are still shown. */
export const findEntity = async <K extends NonProjectKind>(
  read_model: CatalogueReadModel,
  kind: K,
  id: string,
): Promise<E.Either<CatalogueFault, EntityOf<K>>> =>
  E.fromPredicate(
    (entity: EntityOf<K> | null): entity is EntityOf<K> =>
      entity !== null && !(isOfKind('user')(entity) && isErased(entity)),
    (): CatalogueFault => ({ tag: 'missing', kind, id }),
  )(await read_model.find(kind, id));
