import { chmod, constants, copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';

const OTHERS_READ = 0o004;

/** If the caller is root, programs in the sandbox run as another user, who must be able to read the file. */
export const isReadable = async (path: string, { mode }: Sandbox): Promise<boolean> => {
  if (mode === 'none' || process.getuid?.() !== 0) return true;
  // Without namespaces, the other user would also need access to the file's parent folders, so the file needs a copy.
  return mode === 'namespaces' && ((await stat(path)).mode & OTHERS_READ) !== 0;
};

export const withReadableCopy = async <A>(
  path: string,
  folder: string,
  use: (copy: string) => Promise<A>,
): Promise<A> => {
  const own = await mkdtemp(join(folder, 'copy-'));
  const copy = join(own, 'file');
  try {
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    await chmod(copy, 0o644);
    // Other users may enter the folder but not list it, so they cannot find the file.
    await chmod(own, 0o711);
    return await use(copy);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
};
