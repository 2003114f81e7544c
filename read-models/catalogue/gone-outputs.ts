import { LRUCache } from 'lru-cache';
import type { AccountRetention } from '../../domain/catalogue/entities.ts';
import { outputsGoneUntil } from '../../domain/catalogue/retention.ts';
import type { Render } from '../../domain/render/render.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { AccountRetentions } from './account-retentions.ts';

const MOST_KNOWN = 10_000;
/** How late a change of an account's retention is seen. Files are deleted an hour later at least. */
const KNOWN_MS = 10_000;

type Known = { readonly retention: AccountRetention | null };

/** Whether outputs of a render that has ended are kept no more, by what its account has set. Rejects as the read does. */
export const openGoneOutputs = (
  retentions: AccountRetentions,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): ((render: Render) => Promise<boolean>) => {
  const known = new LRUCache<string, Known>({
    max: MOST_KNOWN,
    ttl: KNOWN_MS,
    perf: { now: clock.monotonic },
    // Else it looks at a clock of its own, too.
    ttlResolution: 0,
    fetchMethod: async (account_id) => ({ retention: (await retentions([account_id])).get(account_id) ?? null }),
  });
  return async ({ account_id, created_at, updated_at }) => {
    const found = await known.fetch(account_id);
    return (updated_at ?? created_at) <= outputsGoneUntil(found?.retention ?? null, clock.now());
  };
};
