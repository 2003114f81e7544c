import { chmodSync, mkdirSync, statSync } from 'node:fs';

/** Servers create files below it that all users can read. */
const PRIVATE = 0o700;

export const makePrivateFolder = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: PRIVATE });
  const mode = statSync(path).mode & 0o777;
  // Earlier versions created folders that all users of the machine can read.
  if ((mode & 0o077) !== 0) chmodSync(path, mode & PRIVATE);
};
