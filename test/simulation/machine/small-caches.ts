import { LRUCache as Cache } from 'lru-cache';

/* In the place of lru-cache, whose caches take memory for all that they may hold as soon as they are made. */

/** More than any number in a simulated world. */
const MAX = 300;
/** No timer keeps the time of a moment: virtual time costs nothing to read. */
const NO_TIMER = { ttlResolution: 0 } as const;

export class LRUCache<K extends {}, V extends {}, FC = unknown> extends Cache<K, V, FC> {
  constructor(options: Cache.Options<K, V, FC>) {
    super({ ...options, ...NO_TIMER, ...(options.max === undefined ? {} : { max: Math.min(options.max, MAX) }) });
  }
}
