import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';

/** More than an hour of video needs in parts of four seconds, for each output and each start or end of a layer. */
const MAX_FILES = 50_000;
const LOOK_MS = 1000;
/** Size of a block in stat(2), on every disk. */
const BLOCK_BYTES = 512;

const isTooFull = async (folder: string, most_bytes: number): Promise<boolean> => {
  let [files, bytes] = [0, 0];
  for await (const { name } of await opendir(folder)) {
    files += 1;
    if (files > MAX_FILES) return true;
    const found = await lstat(join(folder, name)).catch(() => null);
    bytes += (found?.blocks ?? 0) * BLOCK_BYTES;
    if (bytes > most_bytes) return true;
  }
  return false;
};

/**
 * Checks the program's folder once a second, because the kernel limits the size of a file, but not the number of files.
 * Subfolders count as one file, because no program can create any.
 * @param onTooFull called once, if the folder has more than any correct program writes
 */
export const watchFolder = (
  folder: string,
  most_bytes: number,
  onTooFull: () => void,
): { readonly stop: () => void } => {
  const life = new AbortController();
  const watch = async (): Promise<void> => {
    for await (const _ of setInterval(LOOK_MS, undefined, { ref: false, signal: life.signal }))
      if (await isTooFull(folder, most_bytes)) return onTooFull();
  };
  // Ignores that the watch was stopped, or that the folder was deleted after the program ended.
  watch().catch(() => undefined);
  return { stop: () => life.abort() };
};
