/** One blob as a list shows it; `stored_at` in ms since the epoch, whole seconds. */
export type ListedBlob = { readonly path: string; readonly size_bytes: number; readonly stored_at: number };

/** `next` is the continuation token; null at the end. */
export type ListPage<A> = { readonly found: readonly A[]; readonly next: string | null };

/**
 * Blobs of a cache: any of them may be deleted at any time. Nothing is retried, and every operation ends when its signal
 * aborts. Operations reject with `BlobFault`, or with the file system's error for the local file.
 */
export type EvictableBlobs = {
  /** Stores the whole file in one request, unless there is a blob at the path. False where there was one. */
  readonly putOnce: (path: string, file: string, signal: AbortSignal) => Promise<boolean>;
  /** Writes the blob to a new local file, whole or not at all; `corrupt` where its bytes do not have the hash it carries. */
  readonly fetch: (path: string, file: string, signal: AbortSignal) => Promise<void>;
  readonly exists: (path: string, signal: AbortSignal) => Promise<boolean>;
  /** One that is not there is removed already. */
  readonly remove: (path: string, signal: AbortSignal) => Promise<void>;
  /** A page of up to `count` (5,000) of the blobs whose path has this prefix, in the order of their paths. */
  readonly list: (
    prefix: string,
    from: string | null,
    signal: AbortSignal,
    count?: number,
  ) => Promise<ListPage<ListedBlob>>;
  /** The time of the store's clock, ms since the epoch, whole seconds. */
  readonly now: (signal: AbortSignal) => Promise<number>;
  /** A page of what follows the prefix up to and with the next slash, each once, with the prefix before it. */
  readonly folders: (prefix: string, from: string | null, signal: AbortSignal) => Promise<ListPage<string>>;
};
