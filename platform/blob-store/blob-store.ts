import type { PayloadRef } from '../../domain/event/payload.ts';

/**
 * `not_found`: there is no such blob. `corrupt`: its bytes are not those that were stored. `unavailable`: the store
 * did not answer, or is overloaded; trying again soon may help. `refused`: it answered that it does not serve the blob (a
 * wrong credential, an archived blob), and does so until somebody changes that.
 */
export type BlobFaultTag = 'not_found' | 'corrupt' | 'unavailable' | 'refused';

/** What every operation of the store rejects with. */
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
 * the reason of their signal as soon as that aborts. One that stalls is given up after half a minute: `unavailable`.
 */
export type BlobStore = {
  /** Creates the container if it is missing, without public access. */
  readonly ensureContainer: () => Promise<void>;
  /** Stores a document under a fresh salt, which stays with the blob; the reference is what may stand in the log. */
  readonly putPayload: (
    path: string,
    bytes: Uint8Array,
    content_type: string,
    signal?: AbortSignal,
  ) => Promise<PayloadRef>;
  /** The document, its hash checked against the reference. */
  readonly getPayload: (reference: PayloadRef, signal?: AbortSignal) => Promise<Buffer>;
  /** The same with the salt, for readers that keep both where the document stays. */
  readonly getSaltedPayload: (reference: PayloadRef, signal?: AbortSignal) => Promise<SaltedBytes>;
  /** Stores a short text of the service's own, in the place of what was there. */
  readonly writeText: (path: string, text: string, signal?: AbortSignal) => Promise<void>;
  /** The text that `writeText` stored; null when the blob does not exist. */
  readonly readText: (path: string, signal?: AbortSignal) => Promise<string | null>;
  /** Stores a local file. `sha256` is of the bytes, lowercase hex. */
  readonly upload: (
    path: string,
    file: string,
    options: { readonly content_type: string; readonly signal?: AbortSignal },
  ) => Promise<StoredFile>;
  /** Writes the blob to a local file, its hash checked where the blob carries one. The file is whole or absent. */
  readonly download: (path: string, file: string, signal?: AbortSignal) => Promise<StoredFile>;
  /** A URL for reading this one blob, for a limited time, under that file name. Does not check that the blob exists. */
  readonly signedUrl: (
    path: string,
    options: { readonly file_name: string; readonly content_type: string },
  ) => Promise<string>;
  readonly exists: (path: string) => Promise<boolean>;
  /** Of one blob, in bytes. */
  readonly sizeOf: (path: string, signal?: AbortSignal) => Promise<number>;
  /** Deletes one blob; one that is not there is deleted already. */
  readonly remove: (path: string) => Promise<void>;
  /** Deletes every blob whose path has this prefix, and returns their number. */
  readonly deletePrefix: (prefix: string) => Promise<number>;
  /** The store answers, within two seconds. */
  readonly healthy: () => Promise<boolean>;
};

/** The store did not serve the blob, which says nothing of the blob. Missing and corrupt blobs stay so. */
export const isNotServed = ({ tag }: BlobFault): boolean => tag === 'unavailable' || tag === 'refused';

/** The same of any fault. */
export const isBlobStoreUnavailable = (fault: unknown): boolean => fault instanceof BlobFault && isNotServed(fault);
