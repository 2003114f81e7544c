import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { INHERITED_FILES } from './inherited-files.ts';
import type { ConfinedCommand } from './sandbox.ts';

const FILTER = 3;

/** Descriptors from 3 on. Descriptor 3 is the system-call filter; an empty file replaces each inherited descriptor. */
const furtherFiles = (filter: number | null, nothing: number): readonly ('ignore' | number)[] =>
  Array.from({ length: Math.max(FILTER, ...INHERITED_FILES) + 1 - FILTER }, (_, index) => {
    const fd = FILTER + index;
    if (fd === FILTER && filter !== null) return filter;
    return INHERITED_FILES.includes(fd) ? nothing : 'ignore';
  });

/** The program gets its own process group. Does not use execa, which has no plain file descriptors beyond the third. */
export const spawnConfined = (
  { file, args, env, cwd, fd3 }: ConfinedCommand,
  input: 'ignore' | 'pipe',
): ChildProcess => {
  const filter = fd3 === null ? null : openSync(fd3, 'r');
  const nothing = openSync('/dev/null', 'r');
  try {
    return spawn(file, args, {
      detached: true,
      env: { ...env },
      cwd,
      stdio: [input, 'pipe', 'pipe', ...furtherFiles(filter, nothing)],
    });
  } finally {
    closeSync(nothing);
    if (filter !== null) closeSync(filter);
  }
};

/** `exit_code` is null if the program was not started, or if a signal ended it. */
export type ProcessEnd = {
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly fault: Error | null;
};

/** Resolves when the program has ended and all of its output is read. */
export const endOf = (child: ChildProcess): Promise<ProcessEnd> => {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
  child.once('error', (fault) => resolve({ exit_code: null, signal: null, fault }));
  child.once('close', (exit_code, signal) => resolve({ exit_code, signal, fault: null }));
  return promise;
};
