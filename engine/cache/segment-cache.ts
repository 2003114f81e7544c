/**
 * Encoded parts between renders, by key: the SHA-256, in hex, of all that decides the part's bytes. A cache belongs to one
 * account, so that no account reads another's parts.
 */
export type SegmentCache = {
  /**
   * Writes the part to `file`, verified by its hash; false if it is missing or damaged, and soon after `signal` aborts.
   */
  readonly fetch: (key: string, file: string, signal?: AbortSignal) => Promise<boolean>;
  /** Whether the key exists. Only `fetch` verifies it. */
  readonly has: (key: string) => Promise<boolean>;
  /** Stores a part; the first one of a key stays. Never rejects: an unavailable cache only costs time. */
  readonly store: (key: string, file: string) => Promise<void>;
};

/** Stores nothing. */
export const NO_CACHE: SegmentCache = {
  fetch: async () => false,
  has: async () => false,
  store: async () => undefined,
};
