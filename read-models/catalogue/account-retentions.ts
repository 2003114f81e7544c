import type { Db } from 'mongodb';
import type { AccountRetention } from '../../domain/catalogue/entities.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { entityOf } from './codec.ts';
import { servingCatalogue } from './model.ts';

/** Accounts without settings are missing. Rejects on store outage. */
export type AccountRetentions = (account_ids: readonly string[]) => Promise<ReadonlyMap<string, AccountRetention>>;

export const openAccountRetentions = (db: Db): AccountRetentions => {
  const serving = servingCatalogue(db);
  return async (account_ids) => {
    const retentions = (await serving()).entities('account_retention');
    const found = await retentions.find({ _id: { $in: [...account_ids] } }, queryTimeout()).toArray();
    return new Map(found.map(entityOf).map((one) => [one.id, one]));
  };
};
