import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A number, because a container's user may have no name. */
const uid = (): number => process.getuid?.() ?? 0;

const WRITABLE_BY_OTHERS = 0o022;

/** In a shared temporary folder, another user may have created the folder first. */
const isOurs = async (folder: string): Promise<boolean> => {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true && found.uid === uid() && (found.mode & WRITABLE_BY_OTHERS) === 0;
};

/**
 * A cache folder without confidential content, some hundred kilobytes for each version. All processes of this user
 * share it, and the users of sandboxes can read it. Null if it cannot be created.
 */
export const sharedCacheFolder = async (): Promise<string | null> => {
  const folder = join(tmpdir(), `video-rendering-${uid()}`);
  await mkdir(folder, { mode: 0o755 }).catch(() => {});
  return (await isOurs(folder)) ? folder : null;
};
