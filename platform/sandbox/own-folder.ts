import { chmod, chown, stat } from 'node:fs/promises';
import { SANDBOX_USERS } from './sandbox-users.ts';

/**
 * Makes a sandbox's user the owner of the folder; others can still read it. If another sandbox's user owns the folder
 * already, that user stays, so that the next program can overwrite the files of the last one.
 */
export const chownFolder = async (folder: string, uid: () => number): Promise<number> => {
  const before = (await stat(folder)).uid;
  const owner = SANDBOX_USERS.includes(before) ? before : uid();
  await chown(folder, owner, owner);
  await chmod(folder, 0o755);
  return owner;
};
