import { chmod, chown } from 'node:fs/promises';

/** Makes a folder one of a sandbox's user, who writes there; what is written stays readable to this process and others. */
export const giveFolder = async (folder: string, uid: number): Promise<void> => {
  await chown(folder, uid, uid);
  await chmod(folder, 0o755);
};
