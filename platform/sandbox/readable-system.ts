import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The system's programs and libraries, where this system has them. */
export const SYSTEM = ['/usr', '/bin', '/lib', '/lib32', '/lib64', '/etc/alternatives', '/etc/ld.so.cache'];

export const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Where a program that is not the system's lies, as it was named and as it is. */
export const foldersOf = async (program: string): Promise<readonly string[]> => {
  const real = await realpath(program).catch(() => program);
  return [dirname(program), dirname(real)].filter((folder) => !SYSTEM.some((one) => isBelow(folder, one)));
};
