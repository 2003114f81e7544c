import { openSourceFrames } from '../../engine/cache/source-frames.ts';
import { openRasterProcess } from '../../engine/raster/raster-process.ts';
import type { WarmPrograms } from '../../engine/raster/warm-programs.ts';

/**
 * In place of the warm programs of a worker: keeps no program, so each render starts its own.
 * @param folder the folder for all files and drawings
 */
export const coldPrograms = (folder: string): Pick<WarmPrograms, 'lease'> => ({
  lease: async () => ({
    files: folder,
    frames: openSourceFrames(folder, 0),
    rasters: { find: () => undefined, keep: async () => undefined },
    open: (of, limits) => openRasterProcess({ ...of, folder: `${folder}/drawn` }, limits),
    release: async () => undefined,
  }),
});
