import { type BlobServer, noteTree } from './blobs.ts';

export type BlobBackup = Pick<BlobServer, 'blobs' | 'hashes' | 'stored_at'>;

export const backUp = ({ blobs, hashes, stored_at }: BlobServer): BlobBackup => ({
  ...{ blobs: new Map(blobs), hashes: new Map(hashes), stored_at: new Map(stored_at) },
});

const replace = <A>(map: Map<string, A>, path: string, value: A | undefined): void => {
  if (value === undefined) map.delete(path);
  else map.set(path, value);
};

/** Whether the blob differs from its backup. */
export const hasChanged = (server: BlobServer, backup: BlobBackup, path: string): boolean =>
  server.blobs.get(path) !== backup.blobs.get(path);

/** Replaces a blob by its backup, with a new ETag. A blob that the backup lacks is lost. */
const restoreBlob = (server: BlobServer, backup: BlobBackup, path: string, now: number): void => {
  server.written += 1;
  replace(server.versions, path, backup.blobs.has(path) ? `etag-${server.written}` : undefined);
  replace(server.blobs, path, backup.blobs.get(path));
  replace(server.hashes, path, backup.hashes.get(path));
  replace(server.stored_at, path, backup.stored_at.get(path));
  noteTree(server, path, now);
  if (!backup.blobs.has(path)) server.lost.set(path, now);
};

export const restoreBlobs = (server: BlobServer, backup: BlobBackup, paths: Iterable<string>, now: number): void => {
  for (const path of paths) if (hasChanged(server, backup, path)) restoreBlob(server, backup, path, now);
};
