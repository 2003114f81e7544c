import { LRUCache } from 'lru-cache';
import type { AccountRetention } from '../../domain/catalogue/entities.ts';
import { downloadNameSourceOf, outputsDeletedUntil } from '../../domain/catalogue/retention.ts';
import type { OutputUrlPolicy } from '../../platform/blob-store/signed-output.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { AccountRetentions } from './account-retentions.ts';

const MAX_KNOWN = 10_000;
/**
 * Settings are cached for this time, so a change takes effect later. Files are deleted an hour after the change at the
 * earliest.
 */
const KNOWN_MS = 10_000;

type Known = { readonly retention: AccountRetention | null };

export const openOutputPolicy = (
  retentions: AccountRetentions,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): OutputUrlPolicy => {
  const known = new LRUCache<string, Known>({
    max: MAX_KNOWN,
    ttl: KNOWN_MS,
    perf: { now: clock.monotonic },
    // With another value, the cache would also depend on a timer instead of `clock`.
    ttlResolution: 0,
    fetchMethod: async (account_id) => ({ retention: (await retentions([account_id])).get(account_id) ?? null }),
  });
  const retentionOf = async (account_id: string): Promise<AccountRetention | null> =>
    (await known.fetch(account_id))?.retention ?? null;
  return {
    isGone: async ({ account_id, created_at, updated_at }) =>
      (updated_at ?? created_at) <= outputsDeletedUntil(await retentionOf(account_id), clock.now()),
    namedBy: async (account_id) => downloadNameSourceOf(await retentionOf(account_id)),
  };
};
