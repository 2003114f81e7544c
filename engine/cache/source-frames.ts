import { renameSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';

/**
 * Raw frames, so that later stills and renders need not decode them again. Lossless compression gains nothing: ffv1,
 * utvideo, huffyuv and intra H.264 decode as slowly as a source.
 */
export type SourceFrame = {
  readonly key: string;
  /** The frames in sequence, without a header. */
  readonly file: string;
  readonly bytes: number;
};

export type SourceFrames = {
  readonly folder: string;
  /** Path of the cached file, which stays until the next `begin`; null if it is not cached. */
  readonly file: (key: string) => string | null;
  /**
   * Reserves space until the next `begin`. If it returns false, do not write: the cache is full or the key is in use.
   */
  readonly reserve: (key: string, bytes: number) => boolean;
  /** Moves the file into the cache, unless it is truncated. Never rejects, because the frames only save time. */
  readonly keep: (frames: SourceFrame) => Promise<void>;
};

/**
 * Maximum size of one file. A larger one may leave the page cache, and reading it from a disk would take longer than
 * decoding. In a container the page cache counts as used memory, so the share is smaller there.
 */
const maxBytesInMemory = (): number => {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit / 8 : process.availableMemory() / 4;
};

const sum = (bytes: Iterable<number>): number => [...bytes].reduce((all, one) => all + one, 0);

/**
 * Serves only one account: a hostile video could store wrong frames, which must not reach another account.
 * @param max_bytes of the kept frames, and the same again for the frames being written
 */
export const openSourceFrames = (folder: string, max_bytes: number): SourceFrames & { readonly begin: () => void } => {
  /** Bytes by key, least recently used first. */
  const kept = new Map<string, number>();
  const in_use = new Map<string, number>();
  const fileOf = (key: string): string => join(folder, `${key}.yuv`);
  const makeRoom = async (bytes: number): Promise<void> => {
    for (const [key] of kept) {
      if (sum(kept.values()) + bytes <= max_bytes) break;
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
      if (in_use.has(key) || sum(in_use.values()) + bytes > max_bytes || bytes > maxBytesInMemory()) return false;
      in_use.set(key, bytes);
      return true;
    },
    keep: async ({ key, file, bytes }) => {
      if (!in_use.has(key)) return;
      const found = await lstat(file).catch(() => null);
      if (found?.isFile() !== true || found.nlink !== 1 || found.size !== bytes) return;
      try {
        await makeRoom(bytes);
        if (kept.has(key) || sum(kept.values()) + bytes > max_bytes) return;
        // Both lines run without an `await` between them, so that another run of the render never finds the file
        // without its size.
        renameSync(file, fileOf(key));
        kept.set(key, bytes);
      } catch {
        // The failure only costs time: the next use decodes the frames again.
      }
    },
  };
};
