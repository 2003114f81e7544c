import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { sameBytes } from './local-cache.ts';
import type { SegmentCache } from './segment-cache.ts';

const AT_ONCE = 4;
/** Files that may wait for a store that is slower than the encoder; further ones are dropped. */
const MOST_WAITING = 64;

/** Makes `store` return at once and stores in the background, one queue for all caches of the process. */
export type Background = {
  readonly of: (cache: SegmentCache) => SegmentCache;
  /** Waits until all files are stored, or until the limit; storing then continues in the background. */
  readonly settle: (limit_ms: number) => Promise<void>;
};

/** @param folder for links to waiting files: the caller may remove the originals */
export const openBackground = async (folder: string): Promise<Background> => {
  await mkdir(folder, { recursive: true });
  const turn = pLimit(AT_ONCE);

  const under_way = new Set<Promise<void>>();

  const keep = async (cache: SegmentCache, key: string, held: string): Promise<void> => {
    try {
      await cache.store(key, held);
    } finally {
      await rm(held, { force: true });
    }
  };
  const keepLater = async (cache: SegmentCache, key: string, file: string): Promise<void> => {
    if (turn.pendingCount >= MOST_WAITING) return;
    const held = join(folder, mintUlid());
    try {
      await sameBytes(file, held);
    } catch {
      await rm(held, { force: true }).catch(() => undefined);
      return;
    }
    const kept = turn(() => keep(cache, key, held))
      // Only the removal can fail; the folder is removed with the process.
      .catch(() => undefined)
      .finally(() => under_way.delete(kept));
    under_way.add(kept);
  };

  return {
    of: (cache) => ({ ...cache, store: (key, file) => keepLater(cache, key, file) }),
    settle: async (limit_ms) => {
      const stop = new AbortController();
      const late = wait(limit_ms, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      await Promise.race([Promise.all(under_way), late]);
      stop.abort();
    },
  };
};
