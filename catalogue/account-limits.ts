import * as E from 'fp-ts/lib/Either.js';
import type { LimitedResource } from '../domain/catalogue/events.ts';
import { DEFAULT_LIMITS, emptyUsage, LIMITED_RESOURCES, usageAt } from '../domain/catalogue/limits.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { accountById } from './accounts.ts';
import type { LimitView } from './answers.ts';
import { type CatalogueWriter, changeAndRead } from './change.ts';
import type { CatalogueFault } from './fault.ts';

/** @param now ms since the epoch; decides which keys have expired */
export const accountLimits = async (
  read_model: CatalogueReadModel,
  account_id: string,
  now: number,
): Promise<E.Either<CatalogueFault, readonly LimitView[]>> => {
  const account = await accountById(read_model, account_id);
  if (E.isLeft(account)) return account;
  const [usage, limits] = await Promise.all([
    read_model.find('account_usage', account_id),
    read_model.find('account_limits', account_id),
  ]);
  const used = usageAt(usage ?? emptyUsage(account_id), now);
  return E.right(
    LIMITED_RESOURCES.map((resource): LimitView => {
      const most = limits?.[resource] ?? null;
      return { resource, used: used[resource], most: most ?? DEFAULT_LIMITS[resource], is_default: most === null };
    }),
  );
};

export type NewLimit = {
  readonly account_id: string;
  readonly resource: LimitedResource;
  readonly most: number | null;
};

/** Existing entities above the new limit remain. */
export const setAccountLimit = async (catalogue: CatalogueWriter, limit: NewLimit) =>
  changeAndRead(catalogue, { type: 'SetLimit', ...limit }, async (read_model) => {
    const limits = await accountLimits(read_model, limit.account_id, catalogue.clock.now());
    return E.map((data: readonly LimitView[]) => ({ data }))(limits);
  });
