import * as E from 'fp-ts/lib/Either.js';
import type { EngineFault } from '../process/engine-fault.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import { type DrawnRasters, type DrawRequest, drawRasters } from './draw-rasters.ts';
import type { KeptRasters } from './kept-rasters.ts';
import type { DrawnRaster } from './raster-job.ts';
import type { RasterProcess } from './raster-process.ts';

type KeyOf = (id: string) => string | undefined;

const findKept = (kept: KeptRasters, key: string | undefined) => (key === undefined ? undefined : kept.find(key));

/** Draws only the rasters that are not kept, and keeps them. Animations are always drawn. */
export const drawChangedRasters = async (
  shown: DrawRequest,
  { keyOf, kept }: { readonly keyOf: KeyOf; readonly kept: KeptRasters },
  process: Pick<RasterProcess, 'draw'>,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, DrawnRasters>> => {
  const found = new Map<string, DrawnRaster>();
  const missing = shown.rasters.filter(({ id }) => {
    const earlier = findKept(kept, keyOf(id));
    if (earlier !== undefined && earlier !== null) found.set(id, { id, ...earlier });
    return earlier === undefined;
  });
  const drawn = await drawRasters({ rasters: missing, animations: shown.animations }, process, limits);
  if (E.isLeft(drawn)) return drawn;
  for (const { id } of missing) {
    const key = keyOf(id);
    if (key !== undefined) await kept.keep(key, drawn.right.rasters.get(id) ?? null);
  }
  return E.right({ ...drawn.right, rasters: new Map([...found, ...drawn.right.rasters]) });
};
