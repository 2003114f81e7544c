import { chmodSync, mkdirSync, statSync } from 'node:fs';

/** Only the owner may enter the folder, because servers create files in it that all users can read. */
const PRIVATE = 0o700;

export const makePrivateFolder = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: PRIVATE });
  const mode = statSync(path).mode & 0o777;
  // Removes the access of other users: folders of earlier versions are readable for all users of the machine.
  if ((mode & 0o077) !== 0) chmodSync(path, mode & PRIVATE);
};
