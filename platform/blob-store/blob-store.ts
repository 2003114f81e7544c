import type { PayloadRef } from '../../domain/event/payload.ts';

/**
 * - `not_found`: the blob does not exist.
 * - `corrupt`: the bytes of the blob are not the stored ones.
 * - `unavailable`: the store did not answer or is overloaded; a retry may help.
 * - `refused`: the store will not serve the blob until an operator acts, for example on a wrong credential.
 */
export type BlobFaultTag = 'not_found' | 'corrupt' | 'unavailable' | 'refused';

export class BlobFault extends Error {
  override readonly name = 'BlobFault';
  readonly tag: BlobFaultTag;
  readonly path: string;
  constructor(tag: BlobFaultTag, path: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.tag = tag;
    this.path = path;
  }
}

export type SaltedBytes = { readonly bytes: Buffer; readonly salt: string };

export type StoredFile = { readonly size_bytes: number; readonly sha256: string };

/**
 * Paths are relative to one private container, without a leading slash. Operations reject with `BlobFault`, or with the
 * reason of their signal as soon as it aborts. A stalled operation rejects as `unavailable` after half a minute.
 */
export type BlobStore = {
  /** Creates the container if it is missing, without public access. */
  readonly ensureContainer: () => Promise<void>;
  /** Stores a document under a new salt, which is stored with the blob. The log may contain the returned reference. */
  readonly putPayload: (
    path: string,
    bytes: Uint8Array,
    content_type: string,
    signal?: AbortSignal,
  ) => Promise<PayloadRef>;
  /** Checks the document's hash against the reference. */
  readonly getPayload: (reference: PayloadRef, signal?: AbortSignal) => Promise<Buffer>;
  /** Like `getPayload`, for readers that store the salt as long as they store the document. */
  readonly getSaltedPayload: (reference: PayloadRef, signal?: AbortSignal) => Promise<SaltedBytes>;
  /** Stores a short text of the service itself, and replaces the previous text. */
  readonly writeText: (path: string, text: string, signal?: AbortSignal) => Promise<void>;
  readonly readText: (path: string, signal?: AbortSignal) => Promise<string | null>;
  /** Stores a local file. `sha256` is in lowercase hex. */
  readonly upload: (
    path: string,
    file: string,
    options: { readonly content_type: string; readonly signal?: AbortSignal },
  ) => Promise<StoredFile>;
  /** Copies a blob inside the store, with its type and its hash. Rejects with `not_found` if there is no such blob. */
  readonly copy: (from: string, to: string, signal?: AbortSignal) => Promise<void>;
  /** Checks the hash if the blob has one. The local file is complete or absent. */
  readonly download: (path: string, file: string, signal?: AbortSignal) => Promise<StoredFile>;
  /** A URL to read this one blob, for a limited time. Does not check that the blob exists. */
  readonly signedUrl: (
    path: string,
    options: { readonly file_name: string; readonly content_type: string },
  ) => Promise<string>;
  readonly exists: (path: string) => Promise<boolean>;
  readonly sizeOf: (path: string, signal?: AbortSignal) => Promise<number>;
  /** Succeeds if the blob does not exist. */
  readonly remove: (path: string) => Promise<void>;
  readonly deletePrefix: (prefix: string) => Promise<number>;
  /** Whether the store answers within two seconds. */
  readonly healthy: () => Promise<boolean>;
};

/** The state of the blob is unknown, in contrast to missing and corrupt blobs. */
export const isUnavailableOrRefused = ({ tag }: BlobFault): boolean => tag === 'unavailable' || tag === 'refused';

export const isBlobStoreUnavailable = (fault: unknown): boolean =>
  fault instanceof BlobFault && isUnavailableOrRefused(fault);
