import type { StoredFile } from './blob-store.ts';

/**
 * `version` changes with each write. `usable` is false for page blobs, append blobs and archived blobs. It is also
 * false for copies of other blobs, and for blobs that the client encrypted with a key of its own.
 */
export type QuarantinedBlob = { readonly size_bytes: number; readonly version: string; readonly usable: boolean };

/** A block that is stored but not committed. `id` is base64. */
export type StagedBlock = { readonly id: string; readonly size_bytes: number };

/**
 * - `changed`: the source has another version, or is gone.
 * - `refused`: the store does not copy this source, and a retry does not help.
 */
export type CopyOutcome = 'copied' | 'changed' | 'refused';

export type WriteUrl = {
  readonly url: string;
  /** Ms since the epoch. */
  readonly expires_at: number;
};

/**
 * Blobs that clients write directly. Operations reject with `BlobFault`, or with the reason of their signal as soon as
 * it aborts.
 */
export type UploadBlobs = {
  /** A URL to write this one blob for an hour. It does not allow reading, deleting or listing. */
  readonly writeUrl: (path: string) => Promise<WriteUrl>;
  /** Null if no blob is committed at the path. */
  readonly find: (path: string) => Promise<QuarantinedBlob | null>;
  /**
   * The uncommitted blocks, so that a client can resume. The signed URL cannot list them. Null if their list is too
   * long to read.
   */
  readonly stagedBlocks: (path: string) => Promise<readonly StagedBlock[] | null>;
  /** Copies a blob within the store, without metadata of the client. */
  readonly copy: (from: string, version: string, to: string, signal: AbortSignal) => Promise<CopyOutcome>;
  /** Downloads a copy and returns its hash. The local file is complete or absent. */
  readonly download: (path: string, file: string, signal: AbortSignal) => Promise<StoredFile>;
  /** Stores the hash of the bytes, which later downloads check, and the content type. */
  readonly label: (path: string, sha256: string, content_type: string, signal: AbortSignal) => Promise<void>;
  readonly put: (path: string, bytes: Buffer, content_type: string, signal: AbortSignal) => Promise<void>;
  /**
   * Deletes the blob and its snapshots, also if a client has leased it. Succeeds if it does not exist, or does not have
   * the version.
   */
  readonly remove: (path: string, version?: string) => Promise<void>;
  readonly list: (prefix: string) => Promise<readonly string[]>;
};
