import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

export const toolFolder = (name: string): string => join(ROOT, '.local', 'tools', name);

export const findOnPath = (program: string): string | null =>
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

export const requireTool = (path: string): string => {
  if (!existsSync(path)) throw new Error(`${path} is missing: run \`make\` with your target to install it`);
  return path;
};
