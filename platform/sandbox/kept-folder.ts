import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** By number: a container's user need not have a name. */
const uid = (): number => process.getuid?.() ?? 0;

const WRITABLE_BY_OTHERS = 0o022;

/** Whether only this user can write to it. In a shared temporary folder, another user may have made it first. */
const isOurs = async (folder: string): Promise<boolean> => {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true && found.uid === uid() && (found.mode & WRITABLE_BY_OTHERS) === 0;
};

/**
 * A cache folder without confidential content: the system-call filter, fontconfig's cache, compiled programs, some
 * hundred kilobytes for each version. Shared by all processes of this user, readable by the users of sandboxes. Null
 * where it cannot be made.
 */
export const keptFolder = async (): Promise<string | null> => {
  const folder = join(tmpdir(), `video-rendering-${uid()}`);
  await mkdir(folder, { mode: 0o755 }).catch(() => {});
  return (await isOurs(folder)) ? folder : null;
};
