import * as t from 'io-ts';
import { blurCanvas, blurCoverage, reachOf } from './blur.ts';
import { type Canvas, compositeColor, compositeOver, coverageOf, emptyCanvas } from './canvas.ts';
import { expandRegion, intersection, type Region, union } from './geometry.ts';
import type { Coverage } from './outline.ts';
import { roundedRectangle, shapeCoverage } from './shape.ts';

export const Shadow = t.readonly(
  t.strict({ color: t.string, opacity: t.number, x: t.number, y: t.number, blur: t.number }),
);
/** Lengths are in pixels. `blur` is the standard deviation. */
export type Shadow = t.TypeOf<typeof Shadow>;

/** Members that only some drawings have. `blur` is the standard deviation. The shadow is that of the blurred drawing. */
export const SOME_EFFECTS = { blur: t.number, shadow: Shadow };
export type Effects = { readonly blur?: number; readonly shadow?: Shadow };

export const hasEffects = ({ blur = 0, shadow }: Effects): boolean => blur > 0 || shadow !== undefined;

export const scaleEffects = ({ blur, shadow }: Effects, factor: number): Effects => ({
  ...(blur === undefined ? {} : { blur: blur * factor }),
  ...(shadow === undefined
    ? {}
    : { shadow: { ...shadow, x: shadow.x * factor, y: shadow.y * factor, blur: shadow.blur * factor } }),
});

const movedBy = (region: Region, { x, y }: Shadow): Region => ({
  ...region,
  x: region.x + Math.round(x),
  y: region.y + Math.round(y),
});

/** @param clamps whether the blur stays inside the region, as for pictures from files */
export const regionWithEffects = (region: Region, { blur = 0, shadow }: Effects, clamps: boolean): Region => {
  const blurred = clamps ? region : expandRegion(region, reachOf(blur));
  return shadow === undefined ? blurred : union(blurred, expandRegion(movedBy(blurred, shadow), reachOf(shadow.blur)));
};

/** How far beyond `within` a drawing's pixels have an effect inside of it. */
export const effectReach = ({ blur = 0, shadow }: Effects): number =>
  reachOf(blur) +
  (shadow === undefined ? 0 : reachOf(shadow.blur) + Math.ceil(Math.max(Math.abs(shadow.x), Math.abs(shadow.y))));

const moved = ({ region, coverage }: Coverage, shadow: Shadow): Coverage => ({
  region: movedBy(region, shadow),
  coverage,
});

/** The blurred drawing over its shadow. */
export const withEffects = async (drawn: Canvas, { blur = 0, shadow }: Effects): Promise<Canvas> => {
  const picture = await blurCanvas(drawn, blur, false);
  if (shadow === undefined) return picture;
  const shape = await blurCoverage(moved(coverageOf(picture), shadow), shadow.blur);
  const canvas = emptyCanvas(union(picture.region, shape.region));
  compositeColor(canvas, shape, shadow.color, shadow.opacity);
  compositeOver(canvas, picture, 1);
  return canvas;
};

/** The shadow reaches this far below the box, so that no gap shows between both. */
const OVERLAP = 1;

/** The shadow of a rounded box, without the part below the box. So a translucent picture in the box does not show it. */
export const boxShadow = async (
  box: Region,
  radius: number,
  shadow: Shadow,
  within: Region,
): Promise<Canvas | null> => {
  const whole = regionWithEffects(box, { shadow }, true);
  const visible = intersection(whole, within);
  if (visible === null) return null;
  const shape = await blurCoverage(moved(await shapeCoverage(roundedRectangle(box, radius), box), shadow), shadow.blur);
  const canvas = emptyCanvas(visible);
  compositeColor(canvas, shape, shadow.color, shadow.opacity);
  const inner = expandRegion(box, -OVERLAP);
  if (inner.width <= 0 || inner.height <= 0) return canvas;
  const { coverage } = await shapeCoverage(roundedRectangle(inner, Math.max(0, radius - OVERLAP)), visible);
  for (let index = 0; index < coverage.length; index += 1) {
    const at = index * 4 + 3;
    canvas.pixels[at] = Math.round(((canvas.pixels[at] ?? 0) * (255 - (coverage[index] ?? 0))) / 255);
  }
  return canvas;
};
