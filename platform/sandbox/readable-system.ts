import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The system's folders of programs and libraries, whether or not they exist. */
export const SYSTEM_FOLDERS = ['/usr', '/bin', '/lib', '/lib32', '/lib64', '/etc/alternatives', '/etc/ld.so.cache'];

export const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Includes both the given path and the resolved path of a program outside the system's folders. */
export const programFolders = async (program: string): Promise<readonly string[]> => {
  const real = await realpath(program).catch(() => program);
  return [dirname(program), dirname(real)].filter((folder) => !SYSTEM_FOLDERS.some((one) => isBelow(folder, one)));
};
