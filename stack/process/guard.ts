import { join } from 'node:path';
import { execa } from 'execa';
import type { StackId } from './supervised.ts';

/** Stands by in case the launcher is killed. */
export type Guard = { readonly dismiss: () => void };

/**
 * A shell that waits for a word from the launcher. When the launcher ends without one (kill -9, a test runner that
 * kills its workers) its end of the pipe closes, and the shell becomes guard-main.ts, which stops what was left.
 */
export const postGuard = (pidsPath: string, stack: StackId): Guard => {
  const script = 'read -r word || exec "$@"';
  const cleanUp = [process.execPath, join(import.meta.dirname, 'guard-main.ts'), pidsPath, stack.data, stack.run];
  const shell = execa('sh', ['-c', script, 'guard', ...cleanUp], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
    detached: true,
    cleanup: false,
    reject: false,
  });
  // It must not keep the launcher alive, nor end it when it is gone itself.
  shell.nodeChildProcess.unref();
  shell.stdin.on('error', () => undefined);
  return { dismiss: () => shell.stdin.end('dismissed\n') };
};
