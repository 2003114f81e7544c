import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Region } from '../geometry.ts';
import { type Canvas, emptyCanvas, finished, layOver, rgbOf } from './canvas.ts';
import { fittedImage, UnreadableImage } from './image.ts';
import type { Drawing, DrawnStill, Still, StillsAnswer, StillsJob } from './still.ts';
import { setText, TextTooLong } from './text-setting.ts';

const flat = (canvas: Canvas, region: Region, color: string, alphaAt: (index: number) => number): void => {
  const [red, green, blue] = rgbOf(color);
  layOver(canvas, region, (index, pixel) => {
    pixel[0] = red;
    pixel[1] = green;
    pixel[2] = blue;
    pixel[3] = alphaAt(index);
  });
};

/** How much each pixel of a box is covered by a shape of its size, edges smoothed. */
const shapeCoverage = async (shape: string, { width, height }: Region): Promise<Buffer> =>
  sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shape}</svg>`))
    .ensureAlpha()
    .extractChannel(3)
    .raw()
    .toBuffer();

const lay = (canvas: Canvas, { region, pixels }: Canvas, opacity: number): void =>
  layOver(canvas, region, (index, pixel) => {
    pixel[0] = pixels[index * 4] ?? 0;
    pixel[1] = pixels[index * 4 + 1] ?? 0;
    pixel[2] = pixels[index * 4 + 2] ?? 0;
    pixel[3] = ((pixels[index * 4 + 3] ?? 0) / 255) * opacity;
  });

const draw = async (canvas: Canvas, drawing: Drawing, assets: StillsJob['assets']): Promise<void> => {
  const { box, opacity } = drawing;
  switch (drawing.kind) {
    case 'fill':
      return flat(canvas, box, drawing.color, () => opacity);
    case 'rectangle':
    case 'ellipse': {
      const { width, height } = box;
      if (drawing.kind === 'rectangle' && drawing.radius === 0) return flat(canvas, box, drawing.color, () => opacity);
      const shape =
        drawing.kind === 'ellipse'
          ? `<ellipse cx="${width / 2}" cy="${height / 2}" rx="${width / 2}" ry="${height / 2}"/>`
          : `<rect width="${width}" height="${height}" rx="${Math.min(drawing.radius, width / 2, height / 2)}"/>`;
      const coverage = await shapeCoverage(shape, box);
      return flat(canvas, box, drawing.color, (index) => ((coverage[index] ?? 0) / 255) * opacity);
    }
    case 'image':
      return lay(canvas, await fittedImage(assets[drawing.asset] ?? '', box, drawing.fit), opacity);
    case 'text': {
      const mask = await setText(drawing.setting, box);
      if (mask === null) return;
      const { coverage, region } = mask;
      return flat(canvas, region, drawing.setting.color, (index) => ((coverage[index] ?? 0) / 255) * opacity);
    }
  }
};

const faultOf = (cause: unknown, drawing: Drawing): StillsAnswer | null => {
  if (cause instanceof TextTooLong)
    return { tag: 'composition', code: 'text_too_long', message: cause.message, field: `${drawing.field}.text` };
  if (cause instanceof UnreadableImage && drawing.kind === 'image')
    return {
      tag: 'composition',
      code: 'unreadable_media',
      message: `the image "${drawing.asset}" ${cause.message}`,
      field: `${drawing.field}.asset`,
    };
  return null;
};

/** Draws one still; null where nothing is to be seen, an answer where it cannot be drawn. */
const drawStill = async (still: Still, job: StillsJob): Promise<DrawnStill | StillsAnswer | null> => {
  const canvas = emptyCanvas(still.region);
  for (const drawing of still.drawings) {
    try {
      await draw(canvas, drawing, job.assets);
    } catch (cause) {
      const fault = faultOf(cause, drawing);
      if (fault === null) throw cause;
      return fault;
    }
  }
  const seen = finished(canvas);
  if (seen === null) return null;
  const file = join(job.folder, `${still.id}.rgba`);
  await writeFile(file, seen.pixels);
  return { id: still.id, file, region: seen.region };
};

/** Draws every still of the job into its folder, one after the other, so that one canvas at a time is in memory. */
export const drawStills = async (job: StillsJob): Promise<StillsAnswer> => {
  const stills: DrawnStill[] = [];
  for (const still of job.stills) {
    const drawn = await drawStill(still, job);
    if (drawn === null) continue;
    if ('tag' in drawn) return drawn;
    stills.push(drawn);
  }
  return { tag: 'drawn', stills };
};
