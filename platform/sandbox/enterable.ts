import { chmod, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';

const OTHERS_ENTER = 0o001;
/** Execute permission without read: files are reachable only by their names. */
const ENTERED = 0o011;

export const isTraversableByAll = async (path: string): Promise<boolean> => {
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder))
    if (((await stat(folder)).mode & OTHERS_ENTER) === 0) return false;
  return true;
};

/**
 * Lets all users enter the folders above the path. Changes only folders of this process's user, but not the user's home
 * folder. If that is not enough, it rejects with advice.
 */
export const makePathTraversable = async (path: string): Promise<void> => {
  const home = homedir();
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) {
    const { mode, uid } = await stat(folder);
    if ((mode & OTHERS_ENTER) !== 0) continue;
    if (uid !== process.getuid?.() || folder === home || home.startsWith(`${folder}/`))
      throw new Error(
        `decoders run as another user, who cannot enter ${folder}: set WORK_DIR (for renderctl, RENDERCTL_CACHE_DIR) to a folder that every user can enter`,
      );
    await chmod(folder, (mode & 0o7777) | ENTERED);
  }
};
