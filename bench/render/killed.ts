import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { openFolderCache } from '../../engine/cache/folder-cache.ts';
import { readLines } from '../../stack/process/bounded-log.ts';
import type { BenchCase } from './cases.ts';
import { renderCase } from './engine-run.ts';
import { type MeasuredRun, measureInFolder } from './pairs.ts';

const KILLED_AFTER = 0.7;

/** Renders in a process that is killed (kill -9) after 70 % of the frames, then again with the cached parts. */
export const resumeAfterKill = async (one: BenchCase, sources_folder: string, folder: string): Promise<MeasuredRun> => {
  const kept = join(folder, 'kept');
  const first = execa(process.execPath, [join(import.meta.dirname, 'one.ts'), sources_folder, folder, kept], {
    buffer: false,
    reject: false,
    stderr: 'inherit',
  });
  readLines(first.stdout, (line) => {
    if (Number(line) >= KILLED_AFTER) first.kill('SIGKILL');
  });
  await first;
  const cache = await openFolderCache(kept);
  const turn = await measureInFolder(join(folder, 'again'), async (into) => {
    await renderCase(one, 'Killed', into, { cache });
  });
  await rm(kept, { recursive: true, force: true });
  return turn;
};
