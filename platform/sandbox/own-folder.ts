import { chmod, chown, stat } from 'node:fs/promises';
import { SANDBOX_USERS } from './sandbox-users.ts';

/**
 * Makes a folder one of a sandbox's user, who writes there; what is written stays readable to this process and others.
 * Whoever had it before has it again: the next program may write over what the last one left.
 */
export const giveFolder = async (folder: string, uid: () => number): Promise<number> => {
  const before = (await stat(folder)).uid;
  const owner = SANDBOX_USERS.includes(before) ? before : uid();
  await chown(folder, owner, owner);
  await chmod(folder, 0o755);
  return owner;
};
