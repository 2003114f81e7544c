import { existsSync } from 'node:fs';
import { constants, copyFile, link, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { hashOfFile } from '../../platform/blob-store/file-hash.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { SegmentCache } from './segment-cache.ts';

type Kept = { readonly file: string; readonly size_bytes: number; readonly sha256: string };

/** Parts on the local disk, in a folder of one process; forgotten when it ends. */
export type LocalCaches = {
  readonly of: (account_id: string) => SegmentCache;
  /** Removes everything: the disk space is needed. */
  readonly clear: () => Promise<void>;
  /** Removes what was kept for longer than the limit. */
  readonly expire: () => void;
};

/**
 * A hard link, or a copy if the file system has no links, in the place of what was there: that may be a link itself,
 * and writing to it would write to another file.
 */
export const sameBytes = async (from: string, to: string): Promise<void> => {
  await rm(to, { force: true });
  await link(from, to).catch(async () => await copyFile(from, to, constants.COPYFILE_EXCL));
};

/**
 * @param limit_bytes of all accounts together, least recently used evicted first. 0 keeps nothing
 * @param limit_ms since it was kept; what is older is given to nobody
 */
export const openLocalCaches = async (folder: string, limit_bytes: number, limit_ms: number): Promise<LocalCaches> => {
  await mkdir(folder, { recursive: true });
  if (limit_bytes === 0) {
    const none: SegmentCache = { has: async () => false, fetch: async () => false, store: async () => undefined };
    return { of: () => none, clear: async () => undefined, expire: () => undefined };
  }
  const leaving = new Set<Promise<void>>();
  const remove = (file: string): void => {
    const gone = rm(file, { force: true }).finally(() => leaving.delete(gone));
    leaving.add(gone);
  };
  const kept = new LRUCache<string, Kept>({
    maxSize: limit_bytes,
    ttl: limit_ms,
    sizeCalculation: ({ size_bytes }) => Math.max(1, size_bytes),
    dispose: ({ file }) => remove(file),
  });

  const take = async (name: string, from: string): Promise<void> => {
    const file = join(folder, mintUlid());
    try {
      await sameBytes(from, file);
      const [{ size: size_bytes }, { sha256 }] = await Promise.all([stat(file), hashOfFile(file)]);
      if (!kept.has(name)) kept.set(name, { file, size_bytes, sha256 });
      if (kept.peek(name)?.file !== file) await rm(file, { force: true });
    } catch {
      await rm(file, { force: true }).catch(() => undefined);
    }
  };

  const give = async (name: string, file: string): Promise<boolean> => {
    const found = kept.get(name);
    if (found === undefined) return false;
    const given = await sameBytes(found.file, file)
      .then(() => hashOfFile(file))
      .catch(() => null);
    if (given?.sha256 === found.sha256) return true;
    await rm(file, { force: true }).catch(() => undefined);
    // If only the destination is at fault, the entry stays.
    const lost = given !== null || !existsSync(found.file);
    if (lost && kept.peek(name) === found) kept.delete(name);
    return false;
  };

  return {
    of: (account_id) => ({
      has: async (key) => kept.has(`${account_id}/${key}`),
      fetch: (key, file) => give(`${account_id}/${key}`, file),
      store: (key, file) => take(`${account_id}/${key}`, file),
    }),
    expire: () => void kept.purgeStale(),
    clear: async () => {
      kept.clear();
      await Promise.all(leaving);
    },
  };
};
