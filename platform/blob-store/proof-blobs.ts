/** `version` changes with each write. */
export type VersionedBlob = { readonly bytes: Buffer; readonly version: string };

/**
 * Blobs that outsiders may read, so they are separate from all other data. Operations reject with `BlobFault`; a write
 * may have succeeded even then.
 */
export type ProofBlobs = {
  /** Creates the container if it is missing, without public access. */
  readonly ensureContainer: () => Promise<void>;
  readonly read: (path: string) => Promise<VersionedBlob | null>;
  /** False, without a change, if the path already has a blob. */
  readonly create: (path: string, bytes: Buffer) => Promise<boolean>;
  /** Replaces this version, or creates the blob if `version` is null. False if the store has another version. */
  readonly replace: (path: string, bytes: Buffer, version: string | null) => Promise<boolean>;
  readonly remove: (path: string) => Promise<void>;
};

/** Outsiders read `${url}/${path}?${query}`. */
export type SharedAccess = { readonly url: string; readonly query: string; readonly expires_at: Date };
