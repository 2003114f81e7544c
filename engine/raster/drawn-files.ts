import { lstat } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { EngineFault } from '../process/engine-fault.ts';
import { isTooLarge } from './animation-size.ts';
import { area, evenAround, grownBy, type Region, type Surround } from './geometry.ts';
import {
  type DrawnAnimation,
  type DrawnRaster,
  drawnFile,
  type InkedAnimation,
  type InkedRaster,
  type RasterAnswer,
  type RasterJob,
} from './raster-job.ts';

/** Drawn rasters and animations with their files. */
export type DrawnFiles = { readonly rasters: readonly DrawnRaster[]; readonly animations: readonly DrawnAnimation[] };

/** The process may have been taken over by a hostile image or font. */
export const ODD_ANSWER: EngineFault = { tag: 'decoder_died', message: 'the raster process gave an invalid answer' };

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

/** Whether it is a regular file of the right size. A link could lead ffmpeg elsewhere. */
const isWhole = async (file: string, bytes: number): Promise<boolean> => {
  const found = await lstat(file).catch(() => null);
  return found?.isFile() === true && found.size === bytes;
};

const checked = async <A extends InkedRaster>(
  inked: readonly A[],
  asked: readonly (InkedRaster & { readonly surround: Surround })[],
  folder: string,
  framesOf: (one: A) => number | null,
): Promise<readonly (A & { readonly file: string })[] | null> => {
  const left = new Map(asked.map(({ id, region, surround }) => [id, grownBy(region, surround.margin)]));
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
 * Verifies the answer of the raster process: only what was requested, within its regions, in files of
 * its folder. The process may answer anything once a hostile file has taken it over.
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
