import pLimit from 'p-limit';
import type { SegmentCache } from './segment-cache.ts';

const STORED_AT_ONCE = 4;

/** Stores files in the cache in the background, a few at a time. */
export type CacheWriter = {
  /** The file is left unchanged until `finish` resolves. Afterwards `onStored` is told whether the cache has it. */
  readonly store: (key: string, file: string, onStored?: (is_there: boolean) => void) => void;
  /** Waits until all is stored, for at most `most_ms`; what has not started then is dropped. */
  readonly finish: (most_ms: number) => Promise<void>;
};

export const openCacheWriter = (cache: SegmentCache): CacheWriter => {
  const limit = pLimit(STORED_AT_ONCE);
  const storing = new Set<Promise<void>>();
  const begun = new Set<string>();
  return {
    store: (key, file, onStored) => {
      if (begun.has(key)) return;
      begun.add(key);
      const storeOne = async (): Promise<void> => {
        await cache.store(key, file);
        onStored?.(await cache.has(key));
      };
      const stored = limit(storeOne).then(
        () => void storing.delete(stored),
        () => void storing.delete(stored),
      );
      storing.add(stored);
    },
    finish: async (most_ms) => {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, most_ms);
      await Promise.race([late, Promise.all(storing)]);
      clearTimeout(timer);
      limit.clearQueue();
    },
  };
};
