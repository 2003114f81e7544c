import { rm } from 'node:fs/promises';
import type { SegmentCache } from '../../../engine/cache/segment-cache.ts';

/**
 * The cache for one attempt. A part is used or stored only after it is noted as a part of this render. An erasure of
 * the render finds its parts by these notes, because parts show the render's texts. If the note fails, the part is not
 * used or stored.
 * @param note replaces the previous note
 */
export const notedCache = (cache: SegmentCache, note: (keys: readonly string[]) => Promise<void>): SegmentCache => {
  const wanted = new Set<string>();
  const noted = new Set<string>();
  let noting: Promise<unknown> = Promise.resolve();

  const noteAll = async (key: string): Promise<void> => {
    // The previous write may have noted this key together with others.
    if (noted.has(key)) return;
    const keys = [...wanted];
    await note(keys);
    for (const one of keys) noted.add(one);
  };
  /** False if the note failed. */
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
