import type { SegmentCache } from './segment-cache.ts';

/** Copies hits of the far cache into the near one. */
export const layeredCache = (near: SegmentCache, far: SegmentCache): SegmentCache => ({
  has: async (key) => (await near.has(key)) || (await far.has(key)),
  fetch: async (key, file, signal) => {
    if (await near.fetch(key, file, signal)) return true;
    if (!(await far.fetch(key, file, signal))) return false;
    await near.store(key, file);
    return true;
  },
  store: async (key, file) => {
    await near.store(key, file);
    await far.store(key, file);
  },
});
