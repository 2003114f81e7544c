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
  /** Shared by all workers: a part is available to them when `store` resolves. */
  readonly shared: (account_id: string) => SegmentCache;
  readonly expire: () => void;
  readonly clear: () => Promise<void>;
  readonly flush: (limit_ms: number) => Promise<void>;
};

/**
 * Stores parts on the local disk, then in the background in the blob store. Fetches them from the local disk first.
 * @param folder used only by this process
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
    flush: background.flush,
  };
};
