import type { Span } from '../../../domain/composition/extents.ts';
import type { Animation, Still } from '../raster/raster-job.ts';
import type { Scene } from '../scene/scene.ts';
import { drawnWithin } from './describe-segment.ts';

/** What is seen in any of these spans and is to be drawn; nothing else has to be. */
export const stillsShown = (
  scene: Scene,
  spans: readonly Span[],
): { readonly stills: readonly Still[]; readonly animations: readonly Animation[] } => {
  const seen = new Set(spans.flatMap(({ from, until }) => [...drawnWithin(scene, from, until)]));
  return {
    stills: scene.stills.filter(({ id }) => seen.has(id)),
    animations: scene.animations.filter(({ id }) => seen.has(id)),
  };
};
