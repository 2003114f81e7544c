/** A blob as it was read; `version` changes with each write. */
export type VersionedBlob = { readonly bytes: Buffer; readonly version: string };

/**
 * The container of proofs, separate from all other data, because outsiders may read it. Paths are relative to it.
 * Operations reject with `BlobFault`; a write may have succeeded even then.
 */
export type ProofBlobs = {
  /** Creates the container if it is missing, without public access. */
  readonly ensureContainer: () => Promise<void>;
  /** Null if the blob does not exist. */
  readonly read: (path: string) => Promise<VersionedBlob | null>;
  /** Stores a new blob. False if the path already has a blob, which is not changed. */
  readonly create: (path: string, bytes: Buffer) => Promise<boolean>;
  /** Replaces this version, or creates the blob if `version` is null. False if the store has another version. */
  readonly replace: (path: string, bytes: Buffer, version: string | null) => Promise<boolean>;
  /** Succeeds if the blob does not exist. */
  readonly remove: (path: string) => Promise<void>;
};

/** Address and access token for outsiders: `${url}/${path}?${query}`. */
export type Share = { readonly url: string; readonly query: string; readonly expires_at: Date };
