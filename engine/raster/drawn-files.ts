import { lstat } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { EngineFault } from '../process/engine-fault.ts';
import { isAnimationTooLarge } from './animation-size.ts';
import { area, type EdgePadding, expandRegion, expandToEven, type Region } from './geometry.ts';
import {
  BYTES_PER_PIXEL,
  type DrawnAnimation,
  type DrawnRaster,
  type InkedAnimation,
  type InkedRaster,
  type RasterAnswer,
  type RasterJob,
  rasterFilePath,
} from './raster-job.ts';

export type DrawnFiles = { readonly rasters: readonly DrawnRaster[]; readonly animations: readonly DrawnAnimation[] };

/** The fault for an invalid answer: a hostile image or font may have compromised the process. */
export const INVALID_ANSWER: EngineFault = {
  tag: 'decoder_died',
  message: 'the raster process sent an invalid answer',
};

const isWithin = (region: Region, requested: Region): boolean => {
  const { x, y, width, height } = expandToEven(requested);
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
  !isAnimationTooLarge(frames, region);

/** A link could lead ffmpeg to another file, so the file must be a regular one. */
const isWhole = async (file: string, bytes: number): Promise<boolean> => {
  const found = await lstat(file).catch(() => null);
  return found?.isFile() === true && found.size === bytes;
};

const verifyFiles = async <A extends InkedRaster>(
  inked: readonly A[],
  requested: readonly (InkedRaster & { readonly surround: EdgePadding })[],
  folder: string,
  framesOf: (one: A) => number | null,
): Promise<readonly (A & { readonly file: string })[] | null> => {
  const outstanding = new Map(requested.map(({ id, region, surround }) => [id, expandRegion(region, surround.margin)]));
  const found: (A & { readonly file: string })[] = [];
  for (const one of inked) {
    const [region, frames] = [outstanding.get(one.id), framesOf(one)];
    if (region === undefined || frames === null || !isWithin(one.region, region)) return null;
    outstanding.delete(one.id);
    const file = rasterFilePath(folder, one);
    if (!(await isWhole(file, BYTES_PER_PIXEL * frames * area(one.region)))) return null;
    found.push({ ...one, file });
  }
  return found;
};

/** A compromised process may send any answer: only requested ids, within their regions, in its folder, are valid. */
export const drawnFiles = async (
  answer: Extract<RasterAnswer, { tag: 'drawn' }>,
  requested: Pick<RasterJob, 'rasters' | 'animations'>,
  folder: string,
): Promise<E.Either<EngineFault, DrawnFiles>> => {
  const rasters = await verifyFiles(answer.rasters, requested.rasters, folder, () => 1);
  const animations = await verifyFiles(answer.animations, requested.animations, folder, (one) =>
    isTimed(one) ? one.frames : null,
  );
  return rasters === null || animations === null ? E.left(INVALID_ANSWER) : E.right({ rasters, animations });
};
