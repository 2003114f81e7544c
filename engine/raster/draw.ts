import { writeFile } from 'node:fs/promises';
import { drawAnimation } from './animation.ts';
import { type Canvas, compositeColor, compositeOver, emptyCanvas, finishCanvas } from './canvas.ts';
import { ditherDarkGradients } from './dither.ts';
import { inkRegion } from './drawing-extent.ts';
import { boxShadow, effectReach, hasEffects, withEffects } from './effects.ts';
import { expandRegion, intersection, type Region } from './geometry.ts';
import { gradientCanvas } from './gradient.ts';
import { fitImage, openImage, UnreadableImage } from './image.ts';
import {
  type Animation,
  type Drawing,
  type InkedAnimation,
  type InkedRaster,
  type Raster,
  type RasterAnswer,
  type RasterJob,
  rasterFilePath,
  type TypesettingOptions,
} from './raster-job.ts';
import { ellipse, rotatedShape, roundedRectangle, shapeCoverage } from './shape.ts';
import { drawText } from './text-drawing.ts';
import { TextTooLong } from './text-setting.ts';
import { centerOf, rotateCanvas } from './turn.ts';

type Shape = Extract<Drawing, { readonly kind: 'rectangle' | 'ellipse' }>;
type Picture = Extract<Drawing, { readonly kind: 'image' | 'text' }>;
type Shadow = Extract<Drawing, { readonly kind: 'shadow' }>;

const drawShape = async (canvas: Canvas, drawing: Shape): Promise<void> => {
  const { box, color, opacity, rotation, fill } = drawing;
  const visible = intersection(inkRegion(drawing), canvas.region);
  if (visible === null) return;
  if (drawing.kind === 'rectangle' && drawing.radius === 0 && rotation % 360 === 0 && fill === undefined)
    return compositeColor(canvas, { region: box, coverage: null }, color, opacity);
  const shape = drawing.kind === 'ellipse' ? ellipse(box) : roundedRectangle(box, drawing.radius);
  const covered = await shapeCoverage(rotatedShape(shape, rotation, box), visible);
  if (fill === undefined) return compositeColor(canvas, covered, color, opacity);
  compositeOver(canvas, gradientCanvas(fill, box, rotation, visible, covered.coverage), opacity);
};

const withFace = (setting: TypesettingOptions, faces: RasterJob['faces']): TypesettingOptions => ({
  ...setting,
  font_family: (Object.hasOwn(faces, setting.font_family) ? faces[setting.font_family] : null) ?? setting.font_family,
});

/** Rotated content is drawn uncropped, because the rotation may make its edges visible. */
const drawPicture = async (
  canvas: Canvas,
  drawing: Picture,
  { assets, faces, font_files }: RasterJob,
): Promise<void> => {
  const { box, rotation } = drawing;
  const straight = rotation % 360 === 0;
  const within = straight ? canvas.region : inkRegion({ ...drawing, rotation: 0 });
  const picture =
    drawing.kind === 'text'
      ? await drawText(withFace(drawing.setting, faces), box, within, font_files)
      : await fitImage(await openImage(assets[drawing.asset] ?? ''), { ...drawing, within });
  if (picture === null) return;
  const visible = straight ? null : intersection(inkRegion(drawing), canvas.region);
  const placed_picture = straight
    ? picture
    : visible === null
      ? null
      : rotateCanvas(picture, rotation, centerOf(box), visible);
  if (placed_picture === null) return;
  if (drawing.kind === 'image') ditherDarkGradients(placed_picture);
  compositeOver(canvas, placed_picture, drawing.opacity);
};

/** Rotated content is drawn whole, as pictures are. */
const compositeRotated = (canvas: Canvas, picture: Canvas, drawing: Drawing): void => {
  const { rotation, box, opacity } = drawing;
  const straight = rotation % 360 === 0;
  const visible = straight ? picture.region : intersection(inkRegion(drawing), canvas.region);
  if (visible === null) return;
  compositeOver(canvas, straight ? picture : rotateCanvas(picture, rotation, centerOf(box), visible), opacity);
};

const withinOf = (canvas: Canvas, drawing: Drawing): Region =>
  drawing.rotation % 360 === 0 ? canvas.region : inkRegion({ ...drawing, rotation: 0 });

const drawShadow = async (canvas: Canvas, drawing: Shadow): Promise<void> => {
  const { box, radius, shadow } = drawing;
  const picture = await boxShadow(box, radius, shadow, withinOf(canvas, drawing));
  if (picture !== null) compositeRotated(canvas, picture, drawing);
};

/** The drawing has effects, which precede its rotation and opacity. */
const drawWithEffects = async (canvas: Canvas, drawing: Shape | Picture, job: RasterJob): Promise<void> => {
  const { shadow, ...without_shadow } = drawing;
  const upright = { ...without_shadow, rotation: 0, opacity: 1 };
  const blur = drawing.kind === 'image' ? undefined : drawing.blur;
  const effects = { ...(blur === undefined ? {} : { blur }), ...(shadow === undefined ? {} : { shadow }) };
  const within = expandRegion(withinOf(canvas, drawing), effectReach(effects));
  const content = blur === undefined ? upright : { ...upright, blur: 0 };
  const region = intersection(inkRegion(content), within);
  if (region === null) return;
  const source = emptyCanvas(region);
  await draw(source, content, job);
  compositeRotated(canvas, await withEffects(source, effects), drawing);
};

const draw = async (canvas: Canvas, drawing: Drawing, job: RasterJob): Promise<void> => {
  if (drawing.kind === 'shadow') return drawShadow(canvas, drawing);
  const has_effects =
    drawing.kind === 'image' ? drawing.shadow !== undefined : drawing.kind !== 'fill' && hasEffects(drawing);
  if (has_effects && drawing.kind !== 'fill') return drawWithEffects(canvas, drawing, job);
  switch (drawing.kind) {
    case 'fill':
      return compositeColor(canvas, { region: drawing.box, coverage: null }, drawing.color, drawing.opacity);
    case 'rectangle':
    case 'ellipse':
      return drawShape(canvas, drawing);
    case 'image':
    case 'text':
      return drawPicture(canvas, drawing, job);
  }
};

const faultOf = (cause: unknown, drawing: Drawing | Animation): RasterAnswer | null => {
  if (cause instanceof TextTooLong)
    return { tag: 'composition', code: 'text_too_long', message: cause.message, field: `${drawing.field}.text` };
  if (cause instanceof UnreadableImage && 'asset' in drawing)
    return {
      tag: 'composition',
      code: 'unreadable_media',
      message: `the image "${drawing.asset}" ${cause.message}`,
      field: `${drawing.field}.asset`,
    };
  return null;
};

const orFault = async <A>(drawing: Drawing | Animation, attempt: () => Promise<A>): Promise<A | RasterAnswer> => {
  try {
    return await attempt();
  } catch (cause) {
    const fault = faultOf(cause, drawing);
    if (fault === null) throw cause;
    return fault;
  }
};

/** Null if no pixel is visible; a fault if the raster cannot be drawn. */
const drawRaster = async (raster: Raster, job: RasterJob): Promise<InkedRaster | RasterAnswer | null> => {
  const canvas = emptyCanvas(raster.region);
  for (const drawing of raster.drawings) {
    const fault = await orFault(drawing, () => draw(canvas, drawing, job));
    if (fault !== undefined) return fault;
  }
  const visible = finishCanvas(canvas, raster.surround);
  if (visible === null) return null;
  await writeFile(rasterFilePath(job.folder, raster), visible.pixels);
  return { id: raster.id, region: visible.region };
};

/** Draws with one canvas in memory at a time. */
export const drawJob = async (job: RasterJob): Promise<RasterAnswer> => {
  const rasters: InkedRaster[] = [];
  for (const raster of job.rasters) {
    const drawn = await drawRaster(raster, job);
    if (drawn === null) continue;
    if ('tag' in drawn) return drawn;
    rasters.push(drawn);
  }
  const animations: InkedAnimation[] = [];
  for (const animation of job.animations) {
    const path = job.assets[animation.asset] ?? '';
    const drawn = await orFault(animation, () => drawAnimation(animation, path, job.folder));
    if (drawn === null) continue;
    if ('tag' in drawn) return drawn;
    animations.push(drawn);
  }
  return { tag: 'drawn', rasters, animations };
};
