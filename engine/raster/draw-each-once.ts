import * as E from 'fp-ts/lib/Either.js';
import type { DrawRequest } from './draw-rasters.ts';
import type { DrawnFiles } from './drawn-files.ts';
import type { RasterProcess } from './raster-process.ts';

export type DeduplicatingDrawer = Pick<RasterProcess, 'draw'> & {
  readonly undrawn: (shown: DrawRequest) => DrawRequest;
};

/** Each result contains everything drawn so far. For one caller, which makes one request at a time. */
export const deduplicatingDrawer = (process: Pick<RasterProcess, 'draw'>): DeduplicatingDrawer => {
  const requested = new Set<string>();
  let drawn: DrawnFiles = { rasters: [], animations: [] };
  const notRequested = <A extends { readonly id: string }>(list: readonly A[]): readonly A[] =>
    list.filter(({ id }) => !requested.has(id));
  const undrawn = (shown: DrawRequest): DrawRequest => ({
    rasters: notRequested(shown.rasters),
    animations: notRequested(shown.animations),
  });
  return {
    undrawn,
    draw: async (wanted) => {
      const { rasters, animations } = undrawn(wanted);
      if (rasters.length + animations.length === 0) return E.right(drawn);
      const result = await process.draw({ rasters, animations });
      if (E.isLeft(result)) return result;
      for (const { id } of [...rasters, ...animations]) requested.add(id);
      drawn = {
        rasters: [...drawn.rasters, ...result.right.rasters],
        animations: [...drawn.animations, ...result.right.animations],
      };
      return E.right(drawn);
    },
  };
};
