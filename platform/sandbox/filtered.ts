import { confinedEnvironment } from './confined-environment.ts';
import { makePathTraversable } from './enterable.ts';
import { findProgram } from './find-program.ts';
import { kernelLimits } from './limits.ts';
import { chownFolder } from './own-folder.ts';
import { programFolders, SYSTEM_FOLDERS } from './readable-system.ts';
import type { ConfinedCommand, ConfinedProgram } from './sandbox.ts';

export type FilterOptions = {
  readonly python: string;
  readonly script: string;
  /** Null if this process is not root: its programs then run as the same user. */
  readonly uid: (() => number) | null;
  readonly readable: readonly string[];
};

const UNLIMITED = 2 ** 53 - 1;

/** Runs a program without namespaces: with limits, a system-call filter, and another user if possible. */
export const confineByFilter =
  ({ python, script, uid, readable }: FilterOptions) =>
  async ({ program, args, env, reads, writes, bounds }: ConfinedProgram): Promise<ConfinedCommand> => {
    if (uid !== null)
      for (const path of [...reads, ...(writes === undefined ? [] : [writes])]) await makePathTraversable(path);
    const other = uid === null ? null : writes === undefined ? uid() : await chownFolder(writes, uid);
    const limits = Object.entries(kernelLimits(bounds)).flatMap(([name, limit]) => [
      `--${name}`,
      String(Number.isFinite(limit) ? limit : UNLIMITED),
    ]);
    const path = findProgram(program) ?? program;
    const seen = [...SYSTEM_FOLDERS, ...readable, ...(await programFolders(path)), ...reads].flatMap((one) => [
      '--read',
      one,
    ]);
    return {
      file: python,
      args: [
        '-I',
        script,
        'run',
        ...['--parent', String(process.pid)],
        '--uid',
        String(other ?? 0),
        ...limits,
        ...seen,
        ...(writes === undefined ? [] : ['--write', writes]),
        '--',
        path,
        ...args,
      ],
      env: confinedEnvironment(writes ?? '/', env),
      cwd: writes ?? '/',
      fd3: null,
    };
  };
