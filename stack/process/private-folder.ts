import { chmodSync, mkdirSync, statSync } from 'node:fs';

/** The owner alone: what is below it is readable by everybody, as servers write it. */
const PRIVATE = 0o700;

/** Makes a folder that its owner alone may enter, and takes that from others where it is there already. */
export const makePrivateFolder = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: PRIVATE });
  const mode = statSync(path).mode & 0o777;
  // Folders of earlier versions are open to all of the machine.
  if ((mode & 0o077) !== 0) chmodSync(path, mode & PRIVATE);
};
