import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFrames } from '../cache/source-frames.ts';
import { area } from './geometry.ts';
import { BYTES_PER_PIXEL, type DrawnRaster, type InkedRaster } from './raster-job.ts';

export type KeptRasters = {
  /** Null if the raster has no visible pixel; undefined if it is not kept. */
  readonly find: (key: string) => Omit<DrawnRaster, 'id'> | null | undefined;
  /** @param drawn null if no pixel is visible. Never rejects, because the rasters only save time. */
  readonly keep: (key: string, drawn: DrawnRaster | null) => Promise<void>;
};

/**
 * Rasters of the account's earlier stills, so that a change of one layer draws only this layer. They share the space of
 * the decoded frames. A copy is kept: the raster process may still have its own file open, and could change it.
 */
export const openKeptRasters = (frames: SourceFrames): KeptRasters => {
  const regions = new Map<string, InkedRaster['region'] | null>();
  return {
    find: (key) => {
      const region = regions.get(key);
      if (region === undefined || region === null) return region;
      const file = frames.file(key);
      if (file === null) regions.delete(key);
      return file === null ? undefined : { region, file };
    },
    keep: async (key, drawn) => {
      if (drawn === null) {
        regions.set(key, null);
        return;
      }
      const bytes = BYTES_PER_PIXEL * area(drawn.region);
      if (!frames.reserve(key, bytes)) return;
      const file = join(frames.folder, `${key}.copy`);
      try {
        await copyFile(drawn.file, file, constants.COPYFILE_FICLONE);
        await frames.keep({ key, file, bytes });
        regions.set(key, drawn.region);
      } catch {
        // The failure only costs time: the next still draws the raster again.
      }
    },
  };
};
