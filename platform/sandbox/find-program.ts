import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

/** Looks up a bare name in the PATH. Null if the program does not exist. */
export const findProgram = (name: string, path: string = process.env.PATH ?? ''): string | null => {
  const candidates = name.includes('/')
    ? [resolve(name)]
    : path.split(delimiter).flatMap((folder) => (folder === '' ? [] : [join(folder, name)]));
  return candidates.find(isProgram) ?? null;
};
