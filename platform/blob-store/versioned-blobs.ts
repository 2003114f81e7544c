/** `version` changes with each write. */
export type VersionedBlob = { readonly bytes: Buffer; readonly version: string };

/**
 * Small blobs that several processes write. Writes do not retry, because a retry could mistake its own first write for
 * a write of another process. Operations reject with `BlobFault`; a write may have succeeded even then.
 */
export type VersionedBlobs = {
  /** Creates the container if it is missing, without public access. */
  readonly ensureContainer: () => Promise<void>;
  readonly read: (path: string) => Promise<VersionedBlob | null>;
  /** False, without a change, if the path already has a blob. */
  readonly create: (path: string, bytes: Buffer) => Promise<boolean>;
  /** False, without a change, if the store has another version or no blob. */
  readonly replace: (path: string, bytes: Buffer, version: string) => Promise<boolean>;
  readonly remove: (path: string) => Promise<void>;
};
