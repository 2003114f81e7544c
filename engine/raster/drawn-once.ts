import * as E from 'fp-ts/lib/Either.js';
import type { ToDraw } from './draw-rasters.ts';
import type { DrawnFiles } from './drawn-files.ts';
import type { RasterProcess } from './raster-process.ts';

export type OnceDrawn = Pick<RasterProcess, 'draw'> & {
  /** Of what is shown, what is not drawn yet. */
  readonly undrawn: (shown: ToDraw) => ToDraw;
};

/**
 * Draws each raster and animation once, however often it is asked for. Answers with all that were drawn by then. Of one
 * caller, who asks again once it was answered.
 */
export const drawnOnce = (process: Pick<RasterProcess, 'draw'>): OnceDrawn => {
  const asked = new Set<string>();
  let drawn: DrawnFiles = { rasters: [], animations: [] };
  const lacking = <A extends { readonly id: string }>(list: readonly A[]): readonly A[] =>
    list.filter(({ id }) => !asked.has(id));
  const undrawn = (shown: ToDraw): ToDraw => ({
    rasters: lacking(shown.rasters),
    animations: lacking(shown.animations),
  });
  return {
    undrawn,
    draw: async (wanted) => {
      const { rasters, animations } = undrawn(wanted);
      if (rasters.length + animations.length === 0) return E.right(drawn);
      const more = await process.draw({ rasters, animations });
      if (E.isLeft(more)) return more;
      for (const { id } of [...rasters, ...animations]) asked.add(id);
      drawn = {
        rasters: [...drawn.rasters, ...more.right.rasters],
        animations: [...drawn.animations, ...more.right.animations],
      };
      return E.right(drawn);
    },
  };
};
