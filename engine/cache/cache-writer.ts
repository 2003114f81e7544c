import pLimit from 'p-limit';
import type { SegmentCache } from './segment-cache.ts';

const STORED_AT_ONCE = 4;

export type CacheWriter = {
  /**
   * The file must not change until `finish` resolves. `onStored` is called with true if the cache then has the file,
   * otherwise with false.
   */
  readonly store: (key: string, file: string, onStored?: (is_there: boolean) => void) => void;
  /** Waits until all files are stored, at most `max_ms`. Files that still wait after that are not stored. */
  readonly finish: (max_ms: number) => Promise<void>;
};

export const openCacheWriter = (cache: SegmentCache): CacheWriter => {
  const limit = pLimit(STORED_AT_ONCE);
  const pending = new Set<Promise<void>>();
  const seen_keys = new Set<string>();
  return {
    store: (key, file, onStored) => {
      if (seen_keys.has(key)) return;
      seen_keys.add(key);
      const storeOne = async (): Promise<void> => {
        await cache.store(key, file);
        onStored?.(await cache.has(key));
      };
      const storing = limit(storeOne).then(
        () => void pending.delete(storing),
        () => void pending.delete(storing),
      );
      pending.add(storing);
    },
    finish: async (max_ms) => {
      const { promise: timeout, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, max_ms);
      await Promise.race([timeout, Promise.all(pending)]);
      clearTimeout(timer);
      limit.clearQueue();
    },
  };
};
