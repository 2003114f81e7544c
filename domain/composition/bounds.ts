import { largestScale, layerBox, rotatedBounds, scaledSize } from './extents.ts';
import type { Fault } from './fault.ts';
import { cropFault } from './framing.ts';
import { largestGroupScale } from './layer-groups.ts';
import type { TimedComposition, TimedLayer } from './layer-times.ts';
import { layerTransitionFaults } from './layer-transition-rules.ts';
import { layerRectangle } from './lenient-decode.ts';
import { LIMITS } from './limits.ts';
import { peakInputs, peakPixels } from './peak-layer-load.ts';

type Frame = { readonly width: number; readonly height: number };

const frameOf = ({ width, height }: TimedComposition): Frame | null =>
  width === undefined || height === undefined ? null : { width, height };

const LONGEST = 2 * LIMITS.side;

const isTooLarge = ({ width, height }: Frame): boolean => Math.max(width, height) > LONGEST + 1e-6;

const tooLarge = (path: string): Fault => ({
  path,
  message: `makes a side of the layer longer than ${LONGEST} pixels`,
});

/** Faults of boxes that scale or rotation makes too large. The decoder limits the unscaled boxes. */
const oversizedLayerFaults = (layer: TimedLayer, at: string, box: Frame): readonly Fault[] => {
  const by_groups = largestGroupScale(layer);
  const grown = (layer.keyframes?.scale ?? []).flatMap(({ value }, index) => {
    return isTooLarge(scaledSize(box, value * by_groups)) ? [tooLarge(`${at}.keyframes.scale[${index}].value`)] : [];
  });
  if (grown.length > 0) return grown;
  const scaled = scaledSize(box, Math.max(1, largestScale(layer) * by_groups));
  if (by_groups > 1 && isTooLarge(scaled)) return [tooLarge(`${at}.width`)];
  const size = rotatedBounds(scaled, layer.rotation ?? 0);
  return layer.rotation !== undefined && layer.rotation !== 0 && isTooLarge(size) ? [tooLarge(`${at}.rotation`)] : [];
};

const MAX_PLACE = { position: LIMITS.side, keyframes: 2 * LIMITS.side };

/** Faults of a layer that its groups move too far. The decoder limits the places within a group. */
const distantFaults = (
  layer: TimedLayer,
  place: { readonly x: number; readonly y: number },
  at: string,
): readonly Fault[] => {
  const fault = (path: string, value: number, max: number): readonly Fault[] =>
    Math.abs(value) <= max ? [] : [{ path, message: `must be from -${max} to ${max}, with the place of its groups` }];
  return [
    ...fault(`${at}.x`, place.x, MAX_PLACE.position),
    ...fault(`${at}.y`, place.y, MAX_PLACE.position),
    ...(layer.keyframes?.position ?? []).flatMap(({ x, y }, index) => [
      ...fault(`${at}.keyframes.position[${index}].x`, x, MAX_PLACE.keyframes),
      ...fault(`${at}.keyframes.position[${index}].y`, y, MAX_PLACE.keyframes),
    ]),
  ];
};

const layerFaults = (
  layer: TimedLayer,
  at: string,
  duration: number | undefined,
  frame: Frame | null,
): readonly Fault[] => {
  const faults: Fault[] = [];
  const { groups = [] } = layer;
  // A layer in a group may begin after the group's end, and then never shows.
  if (groups.length === 0 && duration !== undefined && layer.start !== undefined && layer.start >= duration)
    faults.push({ path: `${at}.start`, message: `must be before the end of the composition (${duration} s)` });
  const { trim_start, trim_end } = layer;
  if (trim_start !== undefined && typeof trim_end === 'number' && trim_end <= trim_start)
    faults.push({ path: `${at}.trim_end`, message: 'must be after trim_start' });
  const crop_fault = layer.crop === undefined ? null : cropFault(layer.crop);
  if (crop_fault !== null) faults.push({ path: `${at}.crop`, message: crop_fault });
  const place = layerRectangle(layer);
  if (place === null || frame === null) return faults;
  const box = layerBox(place, frame);
  const of_group = groups.length > 0 ? ' of the group' : '';
  if (groups.length > 0) faults.push(...distantFaults(layer, place, at));
  if (box.width <= 0)
    faults.push({ path: `${at}.width`, message: `is required, because x is past the right edge${of_group}` });
  if (box.height <= 0)
    faults.push({ path: `${at}.height`, message: `is required, because y is past the lower edge${of_group}` });
  return [...faults, ...oversizedLayerFaults(layer, at, box)];
};

/**
 * Faults in the combination of a composition's numbers. The import checks the project; the composer checks it again
 * with the values of a render.
 */
export const limitFaults = (composition: TimedComposition, path: string): readonly Fault[] => {
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
    ...layerTransitionFaults(composition.layers ?? [], path),
    ...(frame !== null && peakPixels(composition, frame) > LIMITS.peak_pixels
      ? [{ path: `${path}layers`, message: 'show too many pixels in one frame: use fewer or smaller layers' }]
      : []),
  ];
};

/**
 * A fault if one frame needs too many inputs. The decoder of stored documents skips this check, so that they stay
 * readable; their renders fail.
 */
export const peakInputFaults = (composition: TimedComposition, path: string): readonly Fault[] => {
  const inputs = peakInputs(composition);
  return inputs <= LIMITS.inputs_at_once
    ? []
    : [
        {
          path: `${path}layers`,
          message: `have ${inputs} videos, sounds and changing pictures in one frame; the maximum is ${LIMITS.inputs_at_once}`,
        },
      ];
};
