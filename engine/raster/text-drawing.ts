import { blurCoverage, MAX_DEVIATION } from './blur.ts';
import { type Canvas, compositeColor, compositeOver, coverageOf, emptyCanvas } from './canvas.ts';
import { expandRegion, intersection, type Region, union } from './geometry.ts';
import { type Coverage, dilate } from './outline.ts';
import type { RasterJob, TypesettingOptions } from './raster-job.ts';
import { roundedRectangle, shapeCoverage } from './shape.ts';
import { typesetText } from './text-setting.ts';

const moveBy = ({ region, coverage }: Coverage, x: number, y: number): Coverage => ({
  region: { ...region, x: region.x + Math.round(x), y: region.y + Math.round(y) },
  coverage,
});

const inset = ({ x, y, width, height }: Region, padding: number): Region => {
  const across = Math.min(Math.round(padding), Math.floor((width - 1) / 2));
  const down = Math.min(Math.round(padding), Math.floor((height - 1) / 2));
  return { x: x + across, y: y + down, width: width - 2 * across, height: height - 2 * down };
};

/** The rectangles of the background. Rectangles of lines may overlap. */
const panelsOf = ({ background_fit, padding }: TypesettingOptions, box: Region, lines: readonly Region[]) => {
  if (background_fit === undefined) return [box];
  const panels = lines.map((line) => expandRegion(line, Math.round(padding)));
  return background_fit === 'lines' || panels.length === 0 ? panels : [panels.reduce(union)];
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
  const typeset = await typesetText(setting, { box: text_box, within: within_outline }, font_files);
  if (typeset === null) return null;
  const { letters } = typeset;
  const panels = panelsOf(setting, box, typeset.lines);
  const shape = outline === null ? coverageOf(letters) : dilate(coverageOf(letters), outline.width);
  const shadow_shape =
    shadow === null ? null : await blurCoverage(moveBy(shape, shadow.x, shadow.y), shadow.blur, MAX_DEVIATION);
  const all = [...panels, shadow_shape?.region ?? shape.region, shape.region, letters.region].reduce(union);
  const visible = intersection(all, within);
  if (visible === null) return null;
  const canvas = emptyCanvas(visible);
  if (background !== null) {
    const shapes = panels.map((panel) => roundedRectangle(panel, background.radius)).join('');
    compositeColor(canvas, await shapeCoverage(shapes, visible), background.color, background.opacity);
  }
  if (shadow !== null && shadow_shape !== null) compositeColor(canvas, shadow_shape, shadow.color, shadow.opacity);
  if (outline !== null) compositeColor(canvas, shape, outline.color, 1);
  compositeOver(canvas, letters, 1);
  return canvas;
};
