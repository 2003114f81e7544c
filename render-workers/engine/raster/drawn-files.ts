import { lstat } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { EngineFault } from '../process/engine-fault.ts';
import { isTooLarge } from './animation-size.ts';
import { area, evenAround, type Region } from './geometry.ts';
import {
  type DrawnAnimation,
  type DrawnRaster,
  drawnFile,
  type InkedAnimation,
  type InkedRaster,
  type RasterAnswer,
  type RasterJob,
} from './raster-job.ts';

/** What was drawn, and where it lies. */
export type DrawnFiles = { readonly rasters: readonly DrawnRaster[]; readonly animations: readonly DrawnAnimation[] };

/** Said of a process that is no longer the one that was started: a picture or a font may have taken it over. */
export const ODD_ANSWER: EngineFault = { tag: 'decoder_died', message: 'the drawing process answered what cannot be' };

const BYTES_PER_PIXEL = 4;

const isWithin = (region: Region, asked: Region): boolean => {
  const { x, y, width, height } = evenAround(asked);
  return (
    Object.values(region).every(Number.isSafeInteger) &&
    region.width > 0 &&
    region.height > 0 &&
    region.x >= x &&
    region.y >= y &&
    region.x + region.width <= x + width &&
    region.y + region.height <= y + height
  );
};

const isTimed = ({ frames, frame_ms, region }: InkedAnimation): boolean =>
  Number.isSafeInteger(frames) &&
  Number.isSafeInteger(frame_ms) &&
  frames > 0 &&
  frame_ms > 0 &&
  !isTooLarge(frames, region);

/** Is it a file itself, and as large as its pictures? A link would lead ffmpeg elsewhere. */
const isWhole = async (file: string, bytes: number): Promise<boolean> => {
  const found = await lstat(file).catch(() => null);
  return found?.isFile() === true && found.size === bytes;
};

const checked = async <A extends InkedRaster>(
  inked: readonly A[],
  asked: readonly InkedRaster[],
  folder: string,
  framesOf: (one: A) => number | null,
): Promise<readonly (A & { readonly file: string })[] | null> => {
  const left = new Map(asked.map(({ id, region }) => [id, region]));
  const found: (A & { readonly file: string })[] = [];
  for (const one of inked) {
    const [region, frames] = [left.get(one.id), framesOf(one)];
    if (region === undefined || frames === null || !isWithin(one.region, region)) return null;
    left.delete(one.id);
    const file = drawnFile(folder, one);
    if (!(await isWhole(file, BYTES_PER_PIXEL * frames * area(one.region)))) return null;
    found.push({ ...one, file });
  }
  return found;
};

/**
 * What the drawing process says that it drew, where that can be: of what it was asked for, within its regions, in files of
 * its own folder. It may answer anything once a picture has taken it over.
 */
export const drawnFiles = async (
  answer: Extract<RasterAnswer, { tag: 'drawn' }>,
  asked: Pick<RasterJob, 'rasters' | 'animations'>,
  folder: string,
): Promise<E.Either<EngineFault, DrawnFiles>> => {
  const rasters = await checked(answer.rasters, asked.rasters, folder, () => 1);
  const animations = await checked(answer.animations, asked.animations, folder, (one) =>
    isTimed(one) ? one.frames : null,
  );
  return rasters === null || animations === null ? E.left(ODD_ANSWER) : E.right({ rasters, animations });
};
