import { renameSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';

/**
 * Frames of a source as a layer shows them, raw: stills of the same moment, and renders that make the same frames anew, need
 * not decode them. (Without loss and compressed, ffv1, utvideo, huffyuv and intra H.264 take as long to decode as a source.)
 */
export type SourceFrame = {
  /** Of all that decides its pixels. */
  readonly key: string;
  /** One frame after the other, without a header. */
  readonly file: string;
  readonly bytes: number;
};

/** Decoded frames of the stills and renders before, by their keys. */
export type SourceFrames = {
  readonly folder: string;
  /** The file stays until the next `begin`. */
  readonly file: (key: string) => string | null;
  /**
   * Takes room for these frames until the next `begin`. False: do not write them, as there is no room, or another layer or run
   * writes or reads the same.
   */
  readonly reserve: (key: string, bytes: number) => boolean;
  /** Takes the frames' file, unless it is cut short; never rejects, as they only save time. */
  readonly keep: (frames: SourceFrame) => Promise<void>;
};

/**
 * The largest file that memory can be expected to hold: reading it again from a disk would take longer than decoding. In a container
 * it is an eighth of the limit, as the page cache counts as used memory there; elsewhere a quarter of the available memory.
 */
const mostInMemory = (): number => {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit / 8 : process.availableMemory() / 4;
};

const sum = (bytes: Iterable<number>): number => [...bytes].reduce((all, one) => all + one, 0);

/**
 * Keeps the most recently used frames, in a folder that exists. A folder serves one account: its hostile video could have written
 * wrong frames. `begin` ends the use of what was handed out before.
 *
 * @param most_bytes of what is kept, and once more of what is being written
 */
export const openSourceFrames = (folder: string, most_bytes: number): SourceFrames & { readonly begin: () => void } => {
  /** Bytes by key, the least recently used first. */
  const kept = new Map<string, number>();
  /** Since `begin`: those that were handed out, and those that are being written. */
  const in_use = new Map<string, number>();
  const fileOf = (key: string): string => join(folder, `${key}.yuv`);
  const makeRoom = async (bytes: number): Promise<void> => {
    for (const [key] of kept) {
      if (sum(kept.values()) + bytes <= most_bytes) break;
      if (in_use.has(key)) continue;
      kept.delete(key);
      await rm(fileOf(key), { force: true });
    }
  };
  return {
    folder,
    begin: () => in_use.clear(),
    file: (key) => {
      const bytes = kept.get(key);
      if (bytes === undefined) return null;
      in_use.set(key, bytes);
      kept.delete(key);
      kept.set(key, bytes);
      return fileOf(key);
    },
    reserve: (key, bytes) => {
      if (in_use.has(key) || sum(in_use.values()) + bytes > most_bytes || bytes > mostInMemory()) return false;
      in_use.set(key, bytes);
      return true;
    },
    keep: async ({ key, file, bytes }) => {
      if (!in_use.has(key)) return;
      const found = await lstat(file).catch(() => null);
      if (found?.isFile() !== true || found.nlink !== 1 || found.size !== bytes) return;
      try {
        await makeRoom(bytes);
        if (kept.has(key) || sum(kept.values()) + bytes > most_bytes) return;
        // At once, so that another run of the render finds a file that is there, and counts it.
        renameSync(file, fileOf(key));
        kept.set(key, bytes);
      } catch {
        // It is decoded again.
      }
    },
  };
};
