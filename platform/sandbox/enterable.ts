import { chmod, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';

const OTHERS_ENTER = 0o001;
/** Entered, not listed: only who knows the name of what is in it gets there. */
const ENTERED = 0o011;

/** Whether every user may go through all folders above a path. */
export const othersMayEnter = async (path: string): Promise<boolean> => {
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder))
    if (((await stat(folder)).mode & OTHERS_ENTER) === 0) return false;
  return true;
};

/**
 * Lets other users go through the folders above a path, as far as those are this process's own; never through the home
 * folder of its user. Rejects where that is not enough, and says what to do.
 */
export const makeEnterable = async (path: string): Promise<void> => {
  const home = homedir();
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) {
    const { mode, uid } = await stat(folder);
    if ((mode & OTHERS_ENTER) !== 0) continue;
    if (uid !== process.getuid?.() || folder === home || home.startsWith(`${folder}/`))
      throw new Error(
        `decoders run as another user here, who may not enter ${folder}: set WORK_DIR (and for renderctl RENDERCTL_CACHE_DIR) to a folder that every user may enter`,
      );
    await chmod(folder, (mode & 0o7777) | ENTERED);
  }
};
