/** One blob in a list; `stored_at` in ms since the epoch, whole seconds. */
export type ListedBlob = { readonly path: string; readonly size_bytes: number; readonly stored_at: number };

/** `next` is the continuation token; null at the end. */
export type ListPage<A> = { readonly found: readonly A[]; readonly next: string | null };

/**
 * Blobs of a cache: each may be deleted at any time. Operations do not retry, and end when their signal aborts. They
 * reject with `BlobFault`, or with the file system's error for the local file.
 */
export type EvictableBlobs = {
  /** Stores the whole file in one request. False if the path already has a blob. */
  readonly putOnce: (path: string, file: string, signal: AbortSignal) => Promise<boolean>;
  /** Writes the blob to a new local file, complete or not at all; `corrupt` if its bytes do not match its hash. */
  readonly fetch: (path: string, file: string, signal: AbortSignal) => Promise<void>;
  readonly exists: (path: string, signal: AbortSignal) => Promise<boolean>;
  /** Succeeds if the blob does not exist. */
  readonly remove: (path: string, signal: AbortSignal) => Promise<void>;
  /** A page of up to `count` (5,000) blobs with this prefix, in the order of their paths. */
  readonly list: (
    prefix: string,
    from: string | null,
    signal: AbortSignal,
    count?: number,
  ) => Promise<ListPage<ListedBlob>>;
  /** Time of the store's clock, ms since the epoch, whole seconds. */
  readonly now: (signal: AbortSignal) => Promise<number>;
  /**
   * A page of folders below the prefix, without repeats: each path up to and including the next slash after the prefix.
   */
  readonly folders: (prefix: string, from: string | null, signal: AbortSignal) => Promise<ListPage<string>>;
};
