import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The code of a system's error, like `ENOENT`. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : null);

/** Why the folder of `path` does not accept a file, in words; null if it does. */
export const folderFault = async (path: string): Promise<string | null> => {
  try {
    const folder = dirname(path);
    if (!(await stat(folder)).isDirectory()) return `${folder} is not a folder`;
    await access(folder, constants.W_OK);
    return null;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'the folder does not exist' : 'you have no permission to write there';
  }
};
