/** A blob as it was read; `version` changes with each write. */
export type VersionedBlob = { readonly bytes: Buffer; readonly version: string };

/**
 * The container of proofs, apart from everything else: outsiders may read it. Paths are relative to it. Operations
 * reject with `BlobFault`; whether a write was made is not known then.
 */
export type ProofBlobs = {
  /** Creates the container if it is missing, without public access. */
  readonly ensureContainer: () => Promise<void>;
  /** Null where there is none. */
  readonly read: (path: string) => Promise<VersionedBlob | null>;
  /** Stores a blob where there is none; false where there is one, which stays as it is. */
  readonly create: (path: string, bytes: Buffer) => Promise<boolean>;
  /** Stores it in the place of that version, or, with null, of none; false where that is not the one that is there. */
  readonly replace: (path: string, bytes: Buffer, version: string | null) => Promise<boolean>;
  /** A blob that is not there is deleted already. */
  readonly remove: (path: string) => Promise<void>;
};

/** Where outsiders read, and what lets them: `${url}/${path}?${query}`. */
export type Share = { readonly url: string; readonly query: string; readonly expires_at: Date };
