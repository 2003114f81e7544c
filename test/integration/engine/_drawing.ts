import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { EngineFault } from '../../../engine/process/engine-fault.ts';
import { type DrawnRasters, type DrawRequest, drawRasters } from '../../../engine/raster/draw-rasters.ts';
import { NO_EDGE_PADDING, type Region } from '../../../engine/raster/geometry.ts';
import type { Drawing, DrawnRaster, Raster, TypesettingOptions } from '../../../engine/raster/raster-job.ts';
import { openRasterProcess, type RasterProcessOptions } from '../../../engine/raster/raster-process.ts';
import { limitsOf } from '../../helpers/sandbox.ts';

export const PLAIN: TypesettingOptions = {
  text: '',
  language: null,
  hyphenate: false,
  font_family: 'Noto Sans',
  font_size: 40,
  font_weight: 400,
  color: '#FFFFFF',
  align: 'left',
  vertical_align: 'top',
  line_height: 1.2,
  shrink_to_fit: false,
  padding: 0,
  background: null,
  outline: null,
  shadow: null,
};
export const BOX: Region = { x: 100, y: 100, width: 600, height: 400 };
export const FRAME: Region = { x: 0, y: 0, width: 800, height: 600 };

export const rasterOf = (id: string, ...drawings: readonly Drawing[]): Raster => ({
  ...{ id, region: FRAME, surround: NO_EDGE_PADDING },
  drawings,
});

export const textRaster = (id: string, setting: Partial<TypesettingOptions>, box = BOX, rotation = 0): Raster =>
  rasterOf(id, { kind: 'text', field: 'layers[0]', box, opacity: 1, rotation, setting: { ...PLAIN, ...setting } });

type Job = Partial<DrawRequest & RasterProcessOptions> & { readonly folder: string };

const DRAWN = 'drawn';

export const attempt = async ({
  rasters = [],
  animations = [],
  ...of
}: Job): Promise<E.Either<EngineFault, DrawnRasters>> => {
  const folder = await mkdtemp(join(of.folder, DRAWN));
  const process = openRasterProcess({ families: new Map(), assets: new Map(), ...of, folder }, () => limitsOf(110_000));
  try {
    return await drawRasters({ rasters, animations }, process, limitsOf(110_000));
  } finally {
    await process.close();
  }
};

export const drawn = async (job: Job): Promise<DrawnRasters> => {
  const result = await attempt(job);
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

export type Picture = { readonly region: Region; readonly pixels: Buffer };

export const picturesOf = async (
  folder: string,
  rasters: readonly Raster[],
  job: Partial<Job> = {},
): Promise<(id: string) => Picture> => {
  const made = await drawn({ ...job, folder, rasters });
  const read = async ({ id, file, region }: DrawnRaster) => [id, { region, pixels: await readFile(file) }] as const;
  const pictures = new Map(await Promise.all([...made.rasters.values()].map(read)));
  return (id) => {
    const picture = pictures.get(id);
    if (picture === undefined) throw new Error(`${id} is blank`);
    return picture;
  };
};

export const rgbaAt = ({ region, pixels }: Picture, x: number, y: number): readonly number[] => {
  const inside = x >= region.x && y >= region.y && x < region.x + region.width && y < region.y + region.height;
  const at = ((y - region.y) * region.width + x - region.x) * 4;
  return inside ? [...pixels.subarray(at, at + 4)] : [0, 0, 0, 0];
};

/** The box of pixels with at least this alpha; it is smaller than the region, whose edges are even. */
export const inkOf = ({ region, pixels }: Picture, least = 100): Region => {
  const inked = Array.from({ length: region.width * region.height }, (_, n) => n).filter(
    (n) => (pixels[4 * n + 3] ?? 0) > least,
  );
  const columns = inked.map((n) => n % region.width);
  const [top = 0, bottom = 0] = [inked[0], inked.at(-1)].map((n) => Math.floor((n ?? 0) / region.width));
  const left = columns.reduce((a, b) => Math.min(a, b), region.width);
  const right = columns.reduce((a, b) => Math.max(a, b), 0);
  return { x: region.x + left, y: region.y + top, width: right - left + 1, height: bottom - top + 1 };
};
