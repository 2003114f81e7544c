import type { Span } from '../../../domain/composition/extents.ts';
import type { Animation, Still } from '../raster/raster-job.ts';
import { seenWithin } from './hiding.ts';
import type { Scene } from './scene.ts';

/** The stills and animations, by id, that are seen on the frames [from, until). */
export const drawnWithin = (scene: Scene, from: number, until: number): ReadonlySet<string> =>
  new Set(
    seenWithin(scene, from, until).flatMap((step) => {
      if (step.kind === 'video') return [];
      return [step.kind === 'still' ? step.still : step.animation];
    }),
  );

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
