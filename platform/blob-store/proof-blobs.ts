import type { VersionedBlobs } from './versioned-blobs.ts';

/** Blobs that outsiders may read, so they are separate from all other data. */
export type ProofBlobs = Omit<VersionedBlobs, 'replace'> & {
  /** Replaces this version, or creates the blob if `version` is null. False if the store has another version. */
  readonly replace: (path: string, bytes: Buffer, version: string | null) => Promise<boolean>;
};

/** Outsiders read `${url}/${path}?${query}`. */
export type SharedAccess = { readonly url: string; readonly query: string; readonly expires_at: Date };
