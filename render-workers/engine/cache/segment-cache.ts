/**
 * Where encoded parts are kept between renders, by key: the sha256, in hex, of all that decides the part's bytes. A part
 * is a small file. Nobody reads a key that is not of their own account: which account it is, the cache itself knows.
 */
export type SegmentCache = {
  /**
   * Puts the bytes of the key at `file`, checked against their hash; false where there are none, or damaged ones, and
   * soon after `signal` aborts.
   */
  readonly fetch: (key: string, file: string, signal?: AbortSignal) => Promise<boolean>;
  /** Whether there seem to be bytes of the key. That they are whole only `fetch` knows. */
  readonly has: (key: string) => Promise<boolean>;
  /** Keeps the first bytes given for a key. Never rejects: a cache that is away costs time only. */
  readonly store: (key: string, file: string) => Promise<void>;
};

/** Keeps nothing. */
export const NO_CACHE: SegmentCache = {
  fetch: async () => false,
  has: async () => false,
  store: async () => undefined,
};
