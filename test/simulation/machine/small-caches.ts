import { LRUCache as Cache } from 'lru-cache';

/** Replaces lru-cache, whose caches allocate memory for their maximum at creation. */

const MAX = 300;
const NO_TIMER = { ttlResolution: 0 } as const;

export class LRUCache<K extends {}, V extends {}, FC = unknown> extends Cache<K, V, FC> {
  constructor(options: Cache.Options<K, V, FC>) {
    super({ ...options, ...NO_TIMER, ...(options.max === undefined ? {} : { max: Math.min(options.max, MAX) }) });
  }
}
