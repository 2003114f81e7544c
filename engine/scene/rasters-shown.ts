import type { FrameSpan } from '../../domain/composition/extents.ts';
import type { Animation, Raster } from '../raster/raster-job.ts';
import { visibleSteps } from './hiding.ts';
import type { Scene } from './scene.ts';

export const visibleRasterIds = (scene: Scene, from: number, until: number): ReadonlySet<string> =>
  new Set(
    visibleSteps(scene, from, until).flatMap((step) => {
      if (step.kind === 'video') return [];
      return [step.kind === 'raster' ? step.raster : step.animation];
    }),
  );

export const visibleRasters = (
  scene: Scene,
  spans: readonly FrameSpan[],
): { readonly rasters: readonly Raster[]; readonly animations: readonly Animation[] } => {
  const visible = new Set(spans.flatMap(({ from, until }) => [...visibleRasterIds(scene, from, until)]));
  return {
    rasters: scene.rasters.filter(({ id }) => visible.has(id)),
    animations: scene.animations.filter(({ id }) => visible.has(id)),
  };
};
