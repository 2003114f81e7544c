import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashOfFile } from '../../platform/blob-store/file-hash.ts';
import type { SegmentCache } from './segment-cache.ts';

const PART = 'part';
const SHA256 = 'sha256';

/**
 * Copies the file into a new folder, then renames the folder to the key. If the key has an entry, the rename fails and
 * that entry stays.
 */
const place = async (folder: string, key: string, file: string): Promise<void> => {
  const own = await mkdtemp(join(folder, 'new-'));
  try {
    await copyFile(file, join(own, PART));
    await writeFile(join(own, SHA256), (await hashOfFile(join(own, PART))).sha256);
    await rename(own, join(folder, key));
  } catch {
    await rm(own, { recursive: true, force: true }).catch(() => undefined);
  }
};

const hashesTo = async (file: string, entry: string): Promise<boolean> => {
  try {
    const [{ sha256 }, kept] = await Promise.all([hashOfFile(file), readFile(join(entry, SHA256), 'utf8')]);
    return sha256 === kept;
  } catch {
    return false;
  }
};

/** A cache without a size limit, for measurements and tests. Any number of processes may share the folder. */
export const openFolderCache = async (folder: string): Promise<SegmentCache> => {
  await mkdir(folder, { recursive: true });
  const has = async (key: string): Promise<boolean> =>
    await stat(join(folder, key)).then(
      () => true,
      () => false,
    );
  return {
    has,
    fetch: async (key, file) => {
      if (!(await has(key))) return false;
      const entry = join(folder, key);
      const copied = await copyFile(join(entry, PART), file)
        .then(() => hashesTo(file, entry))
        .catch(() => false);
      if (copied) return true;
      await rm(file, { force: true }).catch(() => undefined);
      // Removes the entry only if it is damaged or unreadable. If only the copy failed, as on a full disk, the entry
      // stays.
      if (!(await hashesTo(join(entry, PART), entry))) await rm(entry, { recursive: true, force: true });
      return false;
    },
    store: async (key, file) => {
      if (!(await has(key))) await place(folder, key, file);
    },
  };
};
