import sharp from 'sharp';
import { type Canvas, compositeColor, compositeOver, emptyCanvas } from './canvas.ts';
import { intersection, type Region, union } from './geometry.ts';
import { type Coverage, dilate } from './outline.ts';
import type { RasterJob, TypesettingOptions } from './raster-job.ts';
import { roundedRectangle, shapeCoverage } from './shape.ts';
import { typesetText } from './text-setting.ts';

const coverageOf = ({ region, pixels }: Canvas): Coverage => {
  const coverage = new Uint8Array(region.width * region.height);
  for (let index = 0; index < coverage.length; index += 1) coverage[index] = pixels[index * 4 + 3] ?? 0;
  return { region, coverage };
};

/** A smaller blur is invisible, and libvips rejects it. */
const MIN_BLUR = 0.3;
const BLUR_REACH = 3;

const moveBy = ({ region, coverage }: Coverage, x: number, y: number): Coverage => ({
  region: { ...region, x: region.x + Math.round(x), y: region.y + Math.round(y) },
  coverage,
});

const blur = async (shape: Coverage, sigma: number): Promise<Coverage> => {
  if (sigma < MIN_BLUR) return shape;
  const reach = Math.ceil(BLUR_REACH * sigma);
  const { x, y, width, height } = shape.region;
  const coverage = await sharp(shape.coverage, { raw: { width, height, channels: 1 } })
    .extend({ top: reach, bottom: reach, left: reach, right: reach, background: 'black' })
    .blur({ sigma, minAmplitude: 0.01 })
    .extractChannel(0)
    .raw()
    .toBuffer();
  return {
    region: { x: x - reach, y: y - reach, width: width + 2 * reach, height: height + 2 * reach },
    coverage,
  };
};

const inset = ({ x, y, width, height }: Region, padding: number): Region => {
  const across = Math.min(Math.round(padding), Math.floor((width - 1) / 2));
  const down = Math.min(Math.round(padding), Math.floor((height - 1) / 2));
  return { x: x + across, y: y + down, width: width - 2 * across, height: height - 2 * down };
};

/** Null for a text without ink, which has no background either. Throws TextTooLong. */
export const drawText = async (
  setting: TypesettingOptions,
  box: Region,
  within: Region,
  font_files: RasterJob['font_files'],
): Promise<Canvas | null> => {
  const { background, outline, shadow } = setting;
  const text_box = inset(box, setting.padding);
  const within_outline = intersection(text_box, inset(box, Math.ceil(outline?.width ?? 0))) ?? text_box;
  const letters = await typesetText(setting, { box: text_box, within: within_outline }, font_files);
  if (letters === null) return null;
  const shape = outline === null ? coverageOf(letters) : dilate(coverageOf(letters), outline.width);
  const shadow_shape = shadow === null ? null : await blur(moveBy(shape, shadow.x, shadow.y), shadow.blur);
  const all = [box, shadow_shape?.region ?? box, shape.region, letters.region].reduce(union);
  const visible = intersection(all, within);
  if (visible === null) return null;
  const canvas = emptyCanvas(visible);
  if (background !== null) {
    const panel = await shapeCoverage(roundedRectangle(box, background.radius), visible);
    compositeColor(canvas, panel, background.color, background.opacity);
  }
  if (shadow !== null && shadow_shape !== null) compositeColor(canvas, shadow_shape, shadow.color, shadow.opacity);
  if (outline !== null) compositeColor(canvas, shape, outline.color, 1);
  compositeOver(canvas, letters, 1);
  return canvas;
};
