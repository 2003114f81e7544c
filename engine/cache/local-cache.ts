import { existsSync } from 'node:fs';
import { constants, copyFile, link, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { hashOfFile } from '../../platform/blob-store/file-hash.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { SegmentCache } from './segment-cache.ts';

type Entry = { readonly file: string; readonly size_bytes: number; readonly sha256: string };

/** Parts on the local disk, in a folder of one process. The index is in memory: a restart loses it. */
export type LocalCaches = {
  readonly of: (account_id: string) => SegmentCache;
  readonly clear: () => Promise<void>;
  readonly expire: () => void;
};

/** Removes `to` first: if `to` is a link, a write would change another entry. Copies if the disk has no hard links. */
export const linkOrCopy = async (from: string, to: string): Promise<void> => {
  await rm(to, { force: true });
  await link(from, to).catch(async () => await copyFile(from, to, constants.COPYFILE_EXCL));
};

/** @param limit_bytes of all accounts together; the least recently used entries are evicted first; 0 keeps no entry */
export const openLocalCaches = async (folder: string, limit_bytes: number, limit_ms: number): Promise<LocalCaches> => {
  await mkdir(folder, { recursive: true });
  if (limit_bytes === 0) {
    const none: SegmentCache = { has: async () => false, fetch: async () => false, store: async () => undefined };
    return { of: () => none, clear: async () => undefined, expire: () => undefined };
  }
  const removals = new Set<Promise<void>>();
  const remove = (file: string): void => {
    const removal = rm(file, { force: true }).finally(() => removals.delete(removal));
    removals.add(removal);
  };
  const entries = new LRUCache<string, Entry>({
    maxSize: limit_bytes,
    ttl: limit_ms,
    sizeCalculation: ({ size_bytes }) => Math.max(1, size_bytes),
    dispose: ({ file }) => remove(file),
  });

  const storeFile = async (name: string, from: string): Promise<void> => {
    const file = join(folder, mintUlid());
    try {
      await linkOrCopy(from, file);
      const [{ size: size_bytes }, { sha256 }] = await Promise.all([stat(file), hashOfFile(file)]);
      if (!entries.has(name)) entries.set(name, { file, size_bytes, sha256 });
      if (entries.peek(name)?.file !== file) await rm(file, { force: true });
    } catch {
      await rm(file, { force: true }).catch(() => undefined);
    }
  };

  const fetchFile = async (name: string, file: string): Promise<boolean> => {
    const found = entries.get(name);
    if (found === undefined) return false;
    const copy = await linkOrCopy(found.file, file)
      .then(() => hashOfFile(file))
      .catch(() => null);
    if (copy?.sha256 === found.sha256) return true;
    await rm(file, { force: true }).catch(() => undefined);
    // If the copy failed because of its destination, the entry is intact and stays.
    const is_damaged = copy !== null || !existsSync(found.file);
    if (is_damaged && entries.peek(name) === found) entries.delete(name);
    return false;
  };

  return {
    of: (account_id) => ({
      has: async (key) => entries.has(`${account_id}/${key}`),
      fetch: (key, file) => fetchFile(`${account_id}/${key}`, file),
      store: (key, file) => storeFile(`${account_id}/${key}`, file),
    }),
    expire: () => void entries.purgeStale(),
    clear: async () => {
      entries.clear();
      await Promise.all(removals);
    },
  };
};
