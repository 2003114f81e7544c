import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';

/** An hour in parts of four seconds, for each of its outputs and wherever a layer begins or ends, has fewer. */
const MAX_FILES = 50_000;
const LOOK_MS = 1000;
/** What a block of stat(2) is, whatever the disk has. */
const BLOCK_BYTES = 512;

const isTooFull = async (folder: string, most_bytes: number): Promise<boolean> => {
  let [files, bytes] = [0, 0];
  for await (const { name } of await opendir(folder)) {
    files += 1;
    if (files > MAX_FILES) return true;
    // It may be gone again.
    const found = await lstat(join(folder, name)).catch(() => null);
    bytes += (found?.blocks ?? 0) * BLOCK_BYTES;
    if (bytes > most_bytes) return true;
  }
  return false;
};

/**
 * Looks once a second at the one folder in which a program may write: limits of the kernel are for each file, and say
 * nothing of how many there are. (Folders in it are counted as one file: no program can make any.)
 *
 * @param onTooFull called once, where it holds more than any honest program leaves there
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
  // It was stopped; or the folder is gone, and with it the program.
  watch().catch(() => undefined);
  return { stop: () => life.abort() };
};
