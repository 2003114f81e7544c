import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';

/**
 * More files than an hour of video needs in parts of four seconds, for each output and for each begin or end of a
 * layer.
 */
const MAX_FILES = 50_000;
const LOOK_MS = 1000;
/** Size of a block in stat(2), on every disk. */
const BLOCK_BYTES = 512;

const isTooFull = async (folder: string, most_bytes: number): Promise<boolean> => {
  let [files, bytes] = [0, 0];
  for await (const { name } of await opendir(folder)) {
    files += 1;
    if (files > MAX_FILES) return true;
    // The file may be deleted again.
    const found = await lstat(join(folder, name)).catch(() => null);
    bytes += (found?.blocks ?? 0) * BLOCK_BYTES;
    if (bytes > most_bytes) return true;
  }
  return false;
};

/**
 * Checks once a second the one folder in which a program may write. The kernel's limits apply to each file, but not to
 * their number. Folders in it count as one file, because no program can create any.
 * @param onTooFull called once, if it has more than any correct program writes
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
  // The watch was stopped, or the folder is deleted because the program has ended.
  watch().catch(() => undefined);
  return { stop: () => life.abort() };
};
