import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { linkOrCopy } from './local-cache.ts';
import type { SegmentCache } from './segment-cache.ts';

const AT_ONCE = 4;
/**
 * Maximum number of files that wait. The store can be slower than the encoder: further files are then dropped, not
 * stored.
 */
const MAX_WAITING = 64;

/** All caches of the process share one queue. */
export type BackgroundStore = {
  readonly of: (cache: SegmentCache) => SegmentCache;
  /** Waits until all files are stored, at most `limit_ms`. Storing then continues in the background. */
  readonly flush: (limit_ms: number) => Promise<void>;
};

/** @param folder for links to the files that wait, because the caller may remove the originals */
export const openBackgroundStore = async (folder: string): Promise<BackgroundStore> => {
  await mkdir(folder, { recursive: true });
  const queue = pLimit(AT_ONCE);
  const pending = new Set<Promise<void>>();

  const storeAndUnlink = async (cache: SegmentCache, key: string, link: string): Promise<void> => {
    try {
      await cache.store(key, link);
    } finally {
      await rm(link, { force: true });
    }
  };
  const storeLater = async (cache: SegmentCache, key: string, file: string): Promise<void> => {
    if (queue.pendingCount >= MAX_WAITING) return;
    const link = join(folder, mintUlid());
    try {
      await linkOrCopy(file, link);
    } catch {
      await rm(link, { force: true }).catch(() => undefined);
      return;
    }
    const storing = queue(() => storeAndUnlink(cache, key, link))
      // `cache.store` never rejects, so only removing the link can fail. The whole folder is removed when the process
      // ends.
      .catch(() => undefined)
      .finally(() => pending.delete(storing));
    pending.add(storing);
  };

  return {
    of: (cache) => ({ ...cache, store: (key, file) => storeLater(cache, key, file) }),
    flush: async (limit_ms) => {
      const stop = new AbortController();
      const timeout = wait(limit_ms, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      await Promise.race([Promise.all(pending), timeout]);
      stop.abort();
    },
  };
};
