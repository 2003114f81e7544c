import { rename, rm, stat } from 'node:fs/promises';
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
  /** Whether so many bytes may be worth their place. */
  readonly takes: (bytes: number) => boolean;
  /** Takes the frames' file, unless it is cut short or there is no room; never rejects, as they only save time. */
  readonly keep: (frames: SourceFrame) => Promise<void>;
};

/** Of the memory that is available, the part that a file may fill: to read it again from a disk would take longer than to decode. */
const MOST_OF_MEMORY = 1 / 4;

/**
 * Keeps frames in a folder that exists, the latest used ones: of one account, as whoever decodes them may have written
 * anything. `begin`: those that were used before may go.
 */
export const openSourceFrames = (folder: string, most_bytes: number): SourceFrames & { readonly begin: () => void } => {
  /** Bytes by key, the least recently used first. */
  const kept = new Map<string, number>();
  const in_use = new Set<string>();
  const fileOf = (key: string): string => join(folder, `${key}.yuv`);
  const sum = (): number => [...kept.values()].reduce((all, bytes) => all + bytes, 0);
  const makeRoom = async (bytes: number): Promise<boolean> => {
    if (bytes > most_bytes) return false;
    for (const key of kept.keys()) {
      if (sum() + bytes <= most_bytes) break;
      if (in_use.has(key)) continue;
      kept.delete(key);
      await rm(fileOf(key), { force: true });
    }
    return sum() + bytes <= most_bytes;
  };
  return {
    folder,
    begin: () => in_use.clear(),
    file: (key) => {
      const bytes = kept.get(key);
      if (bytes === undefined) return null;
      in_use.add(key);
      kept.delete(key);
      kept.set(key, bytes);
      return fileOf(key);
    },
    takes: (bytes) => 2 * bytes <= most_bytes && bytes <= MOST_OF_MEMORY * process.availableMemory(),
    keep: async ({ key, file, bytes }) => {
      try {
        if (kept.has(key) || (await stat(file)).size !== bytes || !(await makeRoom(bytes))) return;
        await rename(file, fileOf(key));
        kept.set(key, bytes);
        in_use.add(key);
      } catch {
        // It is decoded again.
      }
    },
  };
};
