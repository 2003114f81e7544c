import * as E from 'fp-ts/lib/Either.js';
import type { EngineFault } from '../process/engine-fault.ts';
import type { Animation, DrawnAnimation, DrawnStill, Still } from './raster-job.ts';
import type { StillsProcess } from './raster-process.ts';

export type ToDraw = { readonly stills: readonly Still[]; readonly animations: readonly Animation[] };

/** By their ids; what drew nothing is not among them. */
export type Drawn = {
  readonly stills: ReadonlyMap<string, DrawnStill>;
  readonly animations: ReadonlyMap<string, DrawnAnimation>;
};

const NOTHING: Drawn = { stills: new Map(), animations: new Map() };

const byId = <A extends { readonly id: string }>(list: readonly A[]): ReadonlyMap<string, A> =>
  new Map(list.map((one) => [one.id, one]));

/**
 * Draws stills and animations; asks for nothing where there are none.
 *
 * @returns on the left a fault of the composition that names the layer, or why the process could not draw
 */
export const drawStills = async (
  { stills, animations }: ToDraw,
  process: Pick<StillsProcess, 'draw'>,
): Promise<E.Either<EngineFault, Drawn>> => {
  if (stills.length === 0 && animations.length === 0) return E.right(NOTHING);
  const drawn = await process.draw({ stills, animations });
  return E.isLeft(drawn)
    ? drawn
    : E.right({ stills: byId(drawn.right.stills), animations: byId(drawn.right.animations) });
};
