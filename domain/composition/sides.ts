import type { Fault } from './fault.ts';
import type { LenientLayer } from './lenient-decode.ts';
import { LIMITS } from './limits.ts';

type Size = { readonly width: number; readonly height: number };

export const rotatedBounds = ({ width, height }: Size, degrees: number): Size => {
  const [cos, sin] = [Math.cos, Math.sin].map((of) => Math.abs(of((degrees * Math.PI) / 180)));
  return { width: width * (cos ?? 1) + height * (sin ?? 0), height: width * (sin ?? 0) + height * (cos ?? 1) };
};

export const largestScale = ({ keyframes }: LenientLayer): number => {
  const scales = keyframes?.scale ?? [];
  return scales.length === 0 ? 1 : Math.max(...scales.map(({ value }) => value));
};

export const scaledSize = ({ width, height }: Size, factor: number): Size => ({
  width: width * factor,
  height: height * factor,
});

const LONGEST = 2 * LIMITS.side;

const isTooLarge = ({ width, height }: Size): boolean => Math.max(width, height) > LONGEST + 1e-6;

const tooLarge = (path: string): Fault => ({
  path,
  message: `makes a side of the layer longer than ${LONGEST} pixels`,
});

/** Faults of boxes that scale or rotation makes too large. The decoder limits the unscaled boxes. */
export const oversizedLayerFaults = (layer: LenientLayer, at: string, box: Size): readonly Fault[] => {
  const grown = (layer.keyframes?.scale ?? []).flatMap(({ value }, index) => {
    return isTooLarge(scaledSize(box, value)) ? [tooLarge(`${at}.keyframes.scale[${index}].value`)] : [];
  });
  if (grown.length > 0) return grown;
  const size = rotatedBounds(scaledSize(box, Math.max(1, largestScale(layer))), layer.rotation ?? 0);
  return layer.rotation !== undefined && layer.rotation !== 0 && isTooLarge(size) ? [tooLarge(`${at}.rotation`)] : [];
};
