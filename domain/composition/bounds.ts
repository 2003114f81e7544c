import { boxOf, framesShown } from './extents.ts';
import type { Fault } from './fault.ts';
import { LIMITS } from './limits.ts';
import type { CompositionSketch, LayerSketch } from './sketch.ts';

type Frame = { readonly width: number; readonly height: number };

const frameOf = ({ width, height }: CompositionSketch): Frame | null =>
  width === undefined || height === undefined ? null : { width, height };

/** A layer's place; null of one that is heard, and where it cannot be read. */
const placeOf = ({ x, y, width, height }: LayerSketch) =>
  x === undefined || y === undefined || width === undefined || height === undefined ? null : { x, y, width, height };

/** How many pixels of the layer show, from which frame on and until which; null for none, and where that is not known. */
const shownOf = (layer: LayerSketch, { fps, duration }: CompositionSketch, frame: Frame) => {
  const { visible, start, duration: length } = layer;
  const place = placeOf(layer);
  if (place === null || visible !== true || start === undefined || length === undefined) return null;
  if (fps === undefined || duration === undefined) return null;
  const { from, until } = framesShown({ start, duration: length }, { fps, duration });
  const box = boxOf(place, frame);
  const pixels = Math.min(box.width, frame.width) * Math.min(box.height, frame.height);
  return until <= from ? null : { from, until, pixels };
};

const livePixels = (composition: CompositionSketch, frame: Frame): number => {
  const changes = (composition.layers ?? []).flatMap((layer) => {
    const shown = shownOf(layer, composition, frame);
    if (shown === null) return [];
    const { from, until, pixels } = shown;
    return [
      { frame: from, pixels },
      { frame: until, pixels: -pixels },
    ];
  });
  const inOrder = changes.toSorted((a, b) => a.frame - b.frame || a.pixels - b.pixels);
  return inOrder.reduce(({ now, most }, { pixels }) => ({ now: now + pixels, most: Math.max(most, now + pixels) }), {
    now: 0,
    most: 0,
  }).most;
};

const layerFaults = (layer: LayerSketch, at: string, duration: number | undefined, frame: Frame | null) => {
  const faults: Fault[] = [];
  if (duration !== undefined && layer.start !== undefined && layer.start >= duration)
    faults.push({ path: `${at}.start`, message: `must be before the end of the composition (${duration} s)` });
  const place = placeOf(layer);
  if (place === null || frame === null) return faults;
  const box = boxOf(place, frame);
  if (place.width === null && box.width <= 0)
    faults.push({ path: `${at}.width`, message: 'must be given, as x lies past the right edge' });
  if (place.height === null && box.height <= 0)
    faults.push({ path: `${at}.height`, message: 'must be given, as y lies past the lower edge' });
  return faults;
};

/** What a composition's numbers do not allow together. Also holds for the copy that has a render's values in place. */
export const boundFaults = (composition: CompositionSketch, path: string): readonly Fault[] => {
  const frame = frameOf(composition);
  return [
    ...(['width', 'height'] as const).flatMap((name) => {
      const side = composition[name];
      return side === undefined || side % 2 === 0
        ? []
        : [{ path: `${path}${name}`, message: `must be even, is ${side}` }];
    }),
    ...(composition.layers ?? []).flatMap((layer, index) =>
      layerFaults(layer, `${path}layers[${index}]`, composition.duration, frame),
    ),
    ...(frame !== null && livePixels(composition, frame) > LIMITS.live_pixels
      ? [{ path: `${path}layers`, message: 'show too many pixels at one moment: use fewer or smaller layers' }]
      : []),
  ];
};
