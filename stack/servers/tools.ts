import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The project's root folder. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** The folder of a tool that the set-up (stack/setup) installed. */
export const toolFolder = (name: string): string => join(ROOT, '.local', 'tools', name);

/** The path of a program on the PATH, or null. */
export const onPath = (program: string): string | null =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
    .find(isExecutable) ?? null;

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Throws an error with the remedy if a tool is not set up. */
export const requireTool = (path: string): string => {
  if (!existsSync(path)) throw new Error(`${path} is missing: run \`make\` with the target you want, it sets it up`);
  return path;
};
