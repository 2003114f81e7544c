import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder is removed even if a second Ctrl-C ends the process. */
export const withTemporaryFolder = async <A>(name: string, use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), `renderctl-${name}-`));
  const removeNow = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeNow);
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    process.off('exit', removeNow);
  }
};
