import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const OTHERS = 0o077;

/** Is it a folder that is this user's alone? In a temporary folder for everybody another may have been quicker. */
const isOurs = async (folder: string): Promise<boolean> => {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true && found.uid === userInfo().uid && (found.mode & OTHERS) === 0;
};

/**
 * A folder for what saves time when it is still there: fontconfig's cache and compiled programs, some hundred kilobytes
 * for each version, shared by all processes of this user. Null where it cannot be had; then each render makes its own.
 */
export const keptFolder = async (): Promise<string | null> => {
  const folder = join(tmpdir(), `video-rendering-${userInfo().uid}`);
  await mkdir(folder, { mode: 0o700 }).catch(() => {});
  return (await isOurs(folder)) ? folder : null;
};
