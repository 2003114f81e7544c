import { statfs } from 'node:fs/promises';

/** What the disk of a folder has left for us. */
export const freeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};
