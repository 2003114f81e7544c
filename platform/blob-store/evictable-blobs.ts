/** `stored_at` is in ms since the epoch, whole seconds. */
export type ListedBlob = { readonly path: string; readonly size_bytes: number; readonly stored_at: number };

/** `next` is the continuation token; null on the last page. */
export type ListPage<A> = { readonly found: readonly A[]; readonly next: string | null };

/**
 * Each blob may be deleted at any time. Operations do not retry. They reject with `BlobFault`, or with the file
 * system's error for the local file.
 */
export type EvictableBlobs = {
  /** Stores the whole file in one request. False if the path already has a blob. */
  readonly putOnce: (path: string, file: string, signal: AbortSignal) => Promise<boolean>;
  /** The local file is complete or absent. Rejects as `corrupt` if the bytes do not match the blob's hash. */
  readonly fetch: (path: string, file: string, signal: AbortSignal) => Promise<void>;
  readonly exists: (path: string, signal: AbortSignal) => Promise<boolean>;
  readonly remove: (path: string, signal: AbortSignal) => Promise<void>;
  /** Up to `count` (5,000) blobs, in path order. */
  readonly list: (
    prefix: string,
    from: string | null,
    signal: AbortSignal,
    count?: number,
  ) => Promise<ListPage<ListedBlob>>;
  /** The store's clock: ms since the epoch, whole seconds. */
  readonly now: (signal: AbortSignal) => Promise<number>;
  /** Distinct folders: each path up to and including the next slash after the prefix. */
  readonly folders: (prefix: string, from: string | null, signal: AbortSignal) => Promise<ListPage<string>>;
};
