import * as t from 'io-ts';
import { type Canvas, emptyCanvas, rgbOf } from './canvas.ts';
import { ditherThreshold } from './dither.ts';
import { centerOf, type Region } from './geometry.ts';

const Stop = t.readonly(t.strict({ offset: t.number, color: t.string, opacity: t.number }));

/** `angle` is in degrees, clockwise from the top. At least one stop. */
export const Gradient = t.readonly(
  t.strict({
    type: t.keyof({ linear: null, radial: null, conic: null }),
    angle: t.number,
    stops: t.readonlyArray(Stop),
  }),
);
export type Gradient = t.TypeOf<typeof Gradient>;

/** Premultiplied: levels from 0 to 255 times the alpha, which is from 0 to 1. */
type Mixed = readonly [red: number, green: number, blue: number, alpha: number];

type Located = { readonly offset: number; readonly mixed: Mixed };

/** As in CSS, a stop before its predecessor counts as at the same place. */
const locatedStops = ({ stops }: Gradient): readonly Located[] => {
  let last = 0;
  return stops.map(({ offset, color, opacity }) => {
    last = Math.max(last, offset);
    const [red, green, blue] = rgbOf(color);
    return { offset: last, mixed: [red * opacity, green * opacity, blue * opacity, opacity] };
  });
};

const CLEAR: Mixed = [0, 0, 0, 0];

const mixedAt = (stops: readonly Located[], at: number): Mixed => {
  const next = stops.findIndex(({ offset }) => offset > at);
  const after = next === -1 ? stops.at(-1) : stops[next];
  const before = next <= 0 ? after : stops[next - 1];
  if (before === undefined || after === undefined) return CLEAR;
  const span = after.offset - before.offset;
  const part = span <= 0 ? 1 : (at - before.offset) / span;
  const mix = (n: 0 | 1 | 2 | 3): number => before.mixed[n] + (after.mixed[n] - before.mixed[n]) * part;
  return [mix(0), mix(1), mix(2), mix(3)];
};

/** Two for each pixel of the longest gradient. */
const PLACES = 8192;

/** The colours of all places, one after another: mixing stops for each pixel would take several times as long. */
const colorsOf = (gradient: Gradient): Float64Array => {
  const stops = locatedStops(gradient);
  const colors = new Float64Array(4 * (PLACES + 1));
  for (let n = 0; n <= PLACES; n += 1) colors.set(mixedAt(stops, n / PLACES), 4 * n);
  return colors;
};

/** The place on the gradient, 0 to 1, of a point relative to the middle of the box. */
const placeOf = ({ type, angle }: Gradient, { width, height }: Region): ((x: number, y: number) => number) => {
  const radians = (angle * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  switch (type) {
    case 'linear': {
      const length = Math.abs(width * sin) + Math.abs(height * cos);
      return (x, y) => (x * sin - y * cos) / length + 0.5;
    }
    case 'radial':
      // The ellipse of the box's proportions through its corners.
      return (x, y) => Math.SQRT2 * Math.hypot(x / width, y / height);
    case 'conic':
      return (x, y) => {
        const turns = (Math.atan2(x, -y) - radians) / (2 * Math.PI);
        return turns - Math.floor(turns);
      };
  }
};

/**
 * The gradient of a box that is rotated about its middle. Levels are dithered, because steps of one level show as bands
 * in large areas. The pattern is the same for all frames.
 *
 * @param coverage 0 to 255 for each pixel of the region
 */
export const gradientCanvas = (
  gradient: Gradient,
  box: Region,
  rotation: number,
  region: Region,
  coverage: Uint8Array,
): Canvas => {
  const canvas = emptyCanvas(region);
  const colors = colorsOf(gradient);
  const place = placeOf(gradient, box);
  const middle = centerOf(box);
  const radians = (rotation * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  for (let row = 0; row < region.height; row += 1)
    for (let column = 0; column < region.width; column += 1) {
      const index = row * region.width + column;
      const covered = coverage[index] ?? 0;
      if (covered === 0) continue;
      const [x, y] = [region.x + column + 0.5 - middle.x, region.y + row + 0.5 - middle.y];
      const at = place(x * cos + y * sin, y * cos - x * sin);
      const from = 4 * Math.round(PLACES * Math.min(1, Math.max(0, at)));
      const alpha = colors[from + 3] ?? 0;
      if (alpha <= 0) continue;
      const threshold = ditherThreshold(region.x + column, region.y + row);
      for (let n = 0; n < 3; n += 1)
        canvas.pixels[index * 4 + n] = Math.min(255, Math.floor((colors[from + n] ?? 0) / alpha + threshold));
      canvas.pixels[index * 4 + 3] = Math.round(alpha * covered);
    }
  return canvas;
};
