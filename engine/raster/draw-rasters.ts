import * as E from 'fp-ts/lib/Either.js';
import type { EngineFault } from '../process/engine-fault.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import { withStageLimit } from '../process/stage-limit.ts';
import type { Animation, DrawnAnimation, DrawnRaster, Raster } from './raster-job.ts';
import type { RasterProcess } from './raster-process.ts';

export type DrawRequest = { readonly rasters: readonly Raster[]; readonly animations: readonly Animation[] };

/** Drawn files by id, without those that are fully transparent. */
export type DrawnRasters = {
  readonly rasters: ReadonlyMap<string, DrawnRaster>;
  readonly animations: ReadonlyMap<string, DrawnAnimation>;
};

/** Drawing has ten minutes of CPU time. A process that hangs uses none, so wall-clock time is limited too. */
const DRAWING = { stage: 'drawing', limit_ms: 900_000 };

const NOTHING: DrawnRasters = { rasters: new Map(), animations: new Map() };

const byId = <A extends { readonly id: string }>(list: readonly A[]): ReadonlyMap<string, A> =>
  new Map(list.map((one) => [one.id, one]));

/** Left: a fault of the composition that names the layer, or the reason why the process could not draw. */
export const drawRasters = async (
  { rasters, animations }: DrawRequest,
  process: Pick<RasterProcess, 'draw'>,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, DrawnRasters>> => {
  if (rasters.length === 0 && animations.length === 0) return E.right(NOTHING);
  const drawn = await withStageLimit(DRAWING, limits, () => process.draw({ rasters, animations }));
  return E.isLeft(drawn)
    ? drawn
    : E.right({ rasters: byId(drawn.right.rasters), animations: byId(drawn.right.animations) });
};
