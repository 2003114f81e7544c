import { rm } from 'node:fs/promises';
import type { SegmentCache } from '../../../engine/cache/segment-cache.ts';

/**
 * A segment cache that records the key of each part before the part is used. So an erasure finds all parts that show
 * the render's texts. If recording fails, the part is neither used nor stored.
 * @param note writes the keys; replaces the previous note
 */
export const recordingCache = (cache: SegmentCache, note: (keys: readonly string[]) => Promise<void>): SegmentCache => {
  const wanted = new Set<string>();
  const noted = new Set<string>();
  let noting: Promise<unknown> = Promise.resolve();

  const noteAll = async (key: string): Promise<void> => {
    // The previous write may have included this key.
    if (noted.has(key)) return;
    const keys = [...wanted];
    await note(keys);
    for (const one of keys) noted.add(one);
  };
  const isNoted = (key: string): Promise<boolean> => {
    wanted.add(key);
    const done = noting
      .then(() => noteAll(key))
      .then(
        () => true,
        () => false,
      );
    noting = done;
    return done;
  };

  return {
    has: cache.has,
    fetch: async (key, file, signal) => {
      wanted.add(key);
      if (!(await cache.fetch(key, file, signal))) return false;
      if (await isNoted(key)) return true;
      await rm(file, { force: true });
      return false;
    },
    store: async (key, file) => {
      if (await isNoted(key)) await cache.store(key, file);
    },
  };
};
