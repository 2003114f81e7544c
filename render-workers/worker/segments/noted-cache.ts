import { rm } from 'node:fs/promises';
import type { SegmentCache } from '../../../engine/cache/segment-cache.ts';

/**
 * The cache for one attempt. Which parts its render uses is noted before any of them is used or stored, so that an erasure
 * of the render finds them: a part has pictures of its texts. Where that cannot be noted, nothing is used or stored.
 *
 * @param note replaces what was noted before
 */
export const notedCache = (cache: SegmentCache, note: (keys: readonly string[]) => Promise<void>): SegmentCache => {
  const wanted = new Set<string>();
  const noted = new Set<string>();
  let noting: Promise<unknown> = Promise.resolve();

  const noteAll = async (key: string): Promise<void> => {
    // Those that were wanted meanwhile were noted together.
    if (noted.has(key)) return;
    const keys = [...wanted];
    await note(keys);
    for (const one of keys) noted.add(one);
  };
  /** False where it could not be noted. */
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
