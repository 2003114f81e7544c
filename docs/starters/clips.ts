import { fileURLToPath } from 'node:url';
import type { Assets, CompositionParts } from '../composition/engine.ts';

const drawn = (folder: string, names: readonly string[]): Assets =>
  new Map(
    names.map((name) => [
      name,
      { kind: 'image', file: fileURLToPath(new URL(`./${folder}/${name}.svg`, import.meta.url)) },
    ]),
  );

/** From one place to the other, and back, so that the clip repeats without a jump. */
const sway = (duration: number, from: readonly [number, number], to: readonly [number, number]) => ({
  position: [
    { time: 0, x: from[0], y: from[1], easing: 'ease_in_out' as const },
    { time: duration / 2, x: to[0], y: to[1], easing: 'ease_in_out' as const },
    { time: duration, x: from[0], y: from[1] },
  ],
});

export type Clip = { readonly parts: CompositionParts; readonly assets: Assets };

const RIDGE_S = 10;
const ridge = (asset: string, width: number, y: number, height: number, by: number, rise = 0) => ({
  ...{ id: asset, type: 'image' as const, asset, width, height, x: 0, y },
  keyframes: sway(RIDGE_S, [-27, y], [-27 - by, y - rise]),
});

const STUDIO_S = 8;

/** The clips of the starters, by their folder. They have 720 lines on their short side, so that the files are small. */
export const CLIPS: Readonly<Record<string, Clip>> = {
  'captioned-video': {
    assets: drawn('ridge', ['sky', 'sun', 'far', 'mist', 'near', 'ground']),
    parts: {
      ...{ width: 720, height: 1280, fps: 24, duration: RIDGE_S, background: '#1C2E57' },
      layers: [
        { id: 'sky', type: 'image', asset: 'sky' },
        {
          ...{ id: 'sun', type: 'image', asset: 'sun', x: 220, y: 480, width: 600, height: 600 },
          keyframes: sway(RIDGE_S, [220, 480], [220, 373]),
        },
        ridge('far', 1000, 0, 1280, 27),
        ridge('mist', 1000, 653, 333, 93, 13),
        ridge('near', 1000, 0, 1280, 73),
        ridge('ground', 1133, 0, 1280, 153),
      ],
    },
  },
  'lower-third': {
    assets: drawn('studio', ['room', 'host']),
    parts: {
      ...{ width: 1280, height: 720, fps: 24, duration: STUDIO_S, background: '#1A2036' },
      layers: [
        {
          ...{ id: 'room', type: 'image', asset: 'room', x: -40, y: -22, width: 1360, height: 766 },
          keyframes: sway(STUDIO_S, [-40, -22], [-60, -22]),
        },
        {
          ...{ id: 'host', type: 'image', asset: 'host', x: 413, y: 40, width: 667, height: 720 },
          keyframes: sway(STUDIO_S, [413, 40], [421, 48]),
        },
      ],
    },
  },
};
