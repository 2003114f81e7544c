import { chmod, constants, copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';

const OTHERS_READ = 0o004;

/** Whether programs in the sandbox may read the caller's file: if the caller is root, they run as another user. */
export const isReadable = async (path: string, { mode }: Sandbox): Promise<boolean> => {
  if (mode === 'none' || process.getuid?.() !== 0) return true;
  // Without namespaces the parent folders would also have to be readable by others.
  return mode === 'namespaces' && ((await stat(path)).mode & OTHERS_READ) !== 0;
};

/** Calls `use` with a copy of the file in a folder that sandboxed programs may read, then removes the copy. */
export const withCopy = async <A>(path: string, folder: string, use: (copy: string) => Promise<A>): Promise<A> => {
  const own = await mkdtemp(join(folder, 'copy-'));
  const copy = join(own, 'file');
  try {
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    await chmod(copy, 0o644);
    // Other users cannot list the folder, and do not know the file's name.
    await chmod(own, 0o711);
    return await use(copy);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
};
