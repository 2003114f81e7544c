import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { servingCatalogue } from './model.ts';

export type DeliveryRetention = { readonly account_id: string; readonly days: number };

/**
 * Ordered by account id. Rejects on store outage.
 *
 * @param from the account before the first one; null for the beginning
 */
export type DeliveryRetentions = (from: string | null, count: number) => Promise<readonly DeliveryRetention[]>;

export const openDeliveryRetentions = (db: Db): DeliveryRetentions => {
  const serving = servingCatalogue(db);
  return async (from, count) => {
    const found = await (await serving())
      .entities('account_retention')
      .find({ _id: { $gt: from ?? '' }, deliveries: { $gte: 1 } }, queryTimeout())
      .sort({ _id: 1 })
      .limit(count)
      .toArray();
    return found.flatMap(({ _id: account_id, deliveries: days }) =>
      days === undefined || days === null ? [] : [{ account_id, days }],
    );
  };
};
