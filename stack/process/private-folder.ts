import { chmodSync, mkdirSync, statSync } from 'node:fs';

/** Only the owner, because servers create files below it that all users can read. */
const PRIVATE = 0o700;

/** Creates a folder that only its owner may enter, or restricts an existing folder to that. */
export const makePrivateFolder = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: PRIVATE });
  const mode = statSync(path).mode & 0o777;
  // Folders of earlier versions are open to all users of the machine.
  if ((mode & 0o077) !== 0) chmodSync(path, mode & PRIVATE);
};
