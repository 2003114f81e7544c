import type { PayloadRef } from '../../domain/event/payload.ts';

/**
 * If the blob does not exist, the fault is `not_found`. A `corrupt` blob has other bytes than were stored. When the
 * store is `unavailable`, it did not answer or is overloaded; a retry may help. After `refused`, it will not serve the
 * blob until an operator acts, for example on a wrong credential or an archived blob.
 */
export type BlobFaultTag = 'not_found' | 'corrupt' | 'unavailable' | 'refused';

/** Every operation of the store rejects with this. */
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

/** A document with the salt of its hash, in hex. */
export type SaltedBytes = { readonly bytes: Buffer; readonly salt: string };

export type StoredFile = { readonly size_bytes: number; readonly sha256: string };

/**
 * One private container. Paths are relative to it, without a leading slash. Operations reject with `BlobFault`, or with
 * the reason of their signal as soon as it aborts. A stalled operation rejects as `unavailable` after half a minute.
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
  /** The document, after a check of its hash against the reference. */
  readonly getPayload: (reference: PayloadRef, signal?: AbortSignal) => Promise<Buffer>;
  /** Like `getPayload`, with the salt, for readers that store both as long as the document exists. */
  readonly getSaltedPayload: (reference: PayloadRef, signal?: AbortSignal) => Promise<SaltedBytes>;
  /** Stores a short text of the service itself, and replaces the previous text. */
  readonly writeText: (path: string, text: string, signal?: AbortSignal) => Promise<void>;
  /** The text that `writeText` stored; null if the blob does not exist. */
  readonly readText: (path: string, signal?: AbortSignal) => Promise<string | null>;
  /** Stores a local file. `sha256` is the hash of its bytes, lowercase hex. */
  readonly upload: (
    path: string,
    file: string,
    options: { readonly content_type: string; readonly signal?: AbortSignal },
  ) => Promise<StoredFile>;
  /** Writes the blob to a local file, and checks its hash if the blob has one. The file is complete or absent. */
  readonly download: (path: string, file: string, signal?: AbortSignal) => Promise<StoredFile>;
  /** A URL to read this one blob under this file name, for a limited time. Does not check that the blob exists. */
  readonly signedUrl: (
    path: string,
    options: { readonly file_name: string; readonly content_type: string },
  ) => Promise<string>;
  readonly exists: (path: string) => Promise<boolean>;
  /** Size of one blob in bytes. */
  readonly sizeOf: (path: string, signal?: AbortSignal) => Promise<number>;
  /** Deletes one blob; succeeds if it does not exist. */
  readonly remove: (path: string) => Promise<void>;
  /** Deletes every blob whose path has this prefix, and returns their number. */
  readonly deletePrefix: (prefix: string) => Promise<number>;
  /** Whether the store answers within two seconds. */
  readonly healthy: () => Promise<boolean>;
};

/**
 * The store did not serve the blob, so the state of the blob is unknown. Missing and corrupt blobs are permanent
 * faults.
 */
export const isNotServed = ({ tag }: BlobFault): boolean => tag === 'unavailable' || tag === 'refused';

/** Like `isNotServed`, for any fault. */
export const isBlobStoreUnavailable = (fault: unknown): boolean => fault instanceof BlobFault && isNotServed(fault);
