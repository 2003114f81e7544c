import { chmod, chown, stat } from 'node:fs/promises';
import { SANDBOX_USERS } from './sandbox-users.ts';

/**
 * Makes a sandbox's user the owner of a folder, in which it writes. This process and others can still read the files. A
 * folder keeps its user, so that the next program can overwrite the files of the last one.
 */
export const giveFolder = async (folder: string, uid: () => number): Promise<number> => {
  const before = (await stat(folder)).uid;
  const owner = SANDBOX_USERS.includes(before) ? before : uid();
  await chown(folder, owner, owner);
  await chmod(folder, 0o755);
  return owner;
};
