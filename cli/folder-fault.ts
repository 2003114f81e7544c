import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The code of a system error, like `ENOENT`. */
export const errorCodeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : null);

/** Why a file cannot be written into the folder of `path`; null if it can. */
export const folderFault = async (path: string): Promise<string | null> => {
  try {
    const folder = dirname(path);
    if (!(await stat(folder)).isDirectory()) return `${folder} is not a folder`;
    await access(folder, constants.W_OK);
    return null;
  } catch (error) {
    return errorCodeOf(error) === 'ENOENT' ? 'the folder does not exist' : 'you have no permission to write there';
  }
};
