import { join } from 'node:path';
import { openBackgroundStore } from '../../../engine/cache/background-store.ts';
import { openBlobCaches } from '../../../engine/cache/blob-cache.ts';
import { layeredCache } from '../../../engine/cache/layered-cache.ts';
import { openLocalCaches } from '../../../engine/cache/local-cache.ts';
import type { SegmentCache } from '../../../engine/cache/segment-cache.ts';
import type { EvictableBlobs } from '../../../platform/blob-store/evictable-blobs.ts';
import type { Logger } from '../../../platform/logging/logger.ts';

export type SegmentCaches = {
  readonly of: (account_id: string) => SegmentCache;
  /** Where all workers find them, at once: a part is there when `store` resolves. */
  readonly shared: (account_id: string) => SegmentCache;
  /** Removes from the disk what was kept there for longer than the limit. */
  readonly expire: () => void;
  /** Evicts parts from the disk; those in blob storage stay. */
  readonly clear: () => Promise<void>;
  /** Waits, within the limit, until new parts are stored where other workers find them. */
  readonly settle: (limit_ms: number) => Promise<void>;
};

/**
 * Parts of renders by account: on the disk of this process first, then in the blob store, where they are put in the
 * background.
 *
 * @param folder of this process alone
 */
export const openSegmentCaches = async (
  blobs: EvictableBlobs,
  folder: string,
  { local_bytes, local_ms }: { readonly local_bytes: number; readonly local_ms: number },
  logger: Logger,
): Promise<SegmentCaches> => {
  const local = await openLocalCaches(join(folder, 'kept'), local_bytes, local_ms);
  const background = await openBackgroundStore(join(folder, 'waiting'));
  const stored = openBlobCaches(blobs, logger);
  return {
    of: (account_id) => layeredCache(local.of(account_id), background.of(stored(account_id))),
    shared: stored,
    expire: local.expire,
    clear: local.clear,
    settle: background.settle,
  };
};
