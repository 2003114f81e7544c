/**
 * Encoded parts of earlier renders. A key is the SHA-256, in hex, of everything that decides the part's bytes. A cache
 * belongs to one account, so no account reads another's parts.
 */
export type SegmentCache = {
  /** Writes the part to `file` and verifies its hash. False if the part is missing or damaged, or `signal` aborts. */
  readonly fetch: (key: string, file: string, signal?: AbortSignal) => Promise<boolean>;
  /** Does not verify the bytes. */
  readonly has: (key: string) => Promise<boolean>;
  /** If the key already has a part, that part stays. Never rejects, because an unavailable cache only costs time. */
  readonly store: (key: string, file: string) => Promise<void>;
};

export const NO_CACHE: SegmentCache = {
  fetch: async () => false,
  has: async () => false,
  store: async () => undefined,
};
