import type { Db } from 'mongodb';
import type { Erased } from '../../domain/catalogue/entities.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { listPosition } from '../position.ts';
import { servingCatalogue } from './model.ts';

/** `position`: what follows it in the order of erasures begins behind it. */
export type ErasedEntity = { readonly id: string; readonly erased: Erased; readonly position: string };

/**
 * Up to `count` of those that were erased since a time (ms, by the log's clock), in the order of their erasure.
 *
 * @param from a position that they follow; null for the beginning. Rejects while the store does not answer.
 */
export type ErasedEntities = (since: number, from: string | null, count: number) => Promise<readonly ErasedEntity[]>;

export const openErasedEntities = (db: Db, kind: 'account' | 'user' | 'project'): ErasedEntities => {
  const serving = servingCatalogue(db);
  return async (since, from, count) => {
    const found = await (await serving())
      .entities(kind)
      .find({ by_erased: { $gt: from ?? listPosition(Math.max(0, since), '') } }, queryTimeout())
      .sort({ by_erased: 1 })
      .limit(count)
      .toArray();
    return found.flatMap(({ _id: id, erased, by_erased: position }) =>
      erased === undefined || position === undefined ? [] : [{ id, erased, position }],
    );
  };
};
