import type { Db } from 'mongodb';
import type { ErasureOrigin } from '../../domain/catalogue/entities.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { listPosition } from '../position.ts';
import { servingCatalogue } from './model.ts';

export type ErasedEntity = {
  readonly id: string;
  readonly erased: ErasureOrigin;
  readonly position: string;
  /** The entity's account, or the user itself. Erasures of different tenants take turns. */
  readonly tenant_id: string;
};

/**
 * Entities that were erased at or after `since` (ms, by the log's clock), in the order of their erasure. Rejects on
 * store outage.
 *
 * @param from the position before the first entity; null for the beginning
 */
export type ErasedEntities = (since: number, from: string | null, count: number) => Promise<readonly ErasedEntity[]>;

export const openErasedEntities = (db: Db, kind: 'account' | 'user' | 'project'): ErasedEntities => {
  const serving = servingCatalogue(db);

  const accountsOf = async (team_ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    if (team_ids.length === 0) return new Map();
    const teams = (await serving()).entities('team');
    const found = await teams.find({ _id: { $in: [...new Set(team_ids)] } }, queryTimeout()).toArray();
    return new Map(found.map(({ _id, account_id }) => [_id, account_id]));
  };

  return async (since, from, count) => {
    const found = await (await serving())
      .entities(kind)
      .find({ by_erased: { $gt: from ?? listPosition(Math.max(0, since), '') } }, queryTimeout())
      .sort({ by_erased: 1 })
      .limit(count)
      .toArray();
    const accounts = await accountsOf(found.flatMap((one) => ('team_id' in one ? [one.team_id] : [])));
    return found.flatMap((one) => {
      const { _id: id, erased, by_erased: position } = one;
      const tenant_id = 'team_id' in one ? (accounts.get(one.team_id) ?? one.team_id) : id;
      return erased === undefined || position === undefined ? [] : [{ id, erased, position, tenant_id }];
    });
  };
};
