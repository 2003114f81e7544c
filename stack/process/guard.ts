import { join } from 'node:path';
import { execa } from 'execa';
import type { StackId } from './supervised.ts';

export type CleanupGuard = { readonly dismiss: () => void };

/**
 * A shell that waits for a line from the launcher. If the launcher is killed, the pipe closes, and the shell becomes
 * guard-main.ts, which stops the leftovers.
 */
export const startGuard = (pidsPath: string, stack: StackId): CleanupGuard => {
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
  // The guard must not keep the launcher alive, and its end must not end the launcher.
  shell.nodeChildProcess.unref();
  shell.stdin.on('error', () => undefined);
  return { dismiss: () => shell.stdin.end('dismissed\n') };
};
