import type { MediaProperties } from '../media/media-properties.ts';
import { compositionFault, type EngineFault } from '../process/engine-fault.ts';
import { area, expandRegion, expandToEven } from '../raster/geometry.ts';
import type { Animation, Raster } from '../raster/raster-job.ts';
import type { Scene } from './scene.ts';

type Drawn = { readonly rasters: readonly Raster[]; readonly animations: readonly Animation[] };

const BYTES_PER_PIXEL = 4;
/** Disk space for everything drawn for one composition, until its last frame is encoded. */
const MAX_BYTES = 8 * 2 ** 30;

export const maxDrawnBytes = (
  { rasters, animations }: Drawn,
  media: ReadonlyMap<string, MediaProperties>,
): ReadonlyMap<string, number> => {
  const bytesOf = ({ region, surround }: Raster | Animation): number =>
    area(expandToEven(expandRegion(region, surround.margin))) * BYTES_PER_PIXEL;
  const framesOf = ({ asset }: Animation): number => {
    const properties = media.get(asset);
    return properties?.kind === 'image' ? properties.frames : 1;
  };
  return new Map([
    ...rasters.map((raster): [string, number] => [raster.id, bytesOf(raster)]),
    ...animations.map((animation): [string, number] => [animation.id, bytesOf(animation) * framesOf(animation)]),
  ]);
};

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0);

export const drawnSizeFault = (
  { rasters, animations }: Drawn,
  bytes: ReadonlyMap<string, number>,
): EngineFault | null => {
  if (sum(bytes.values()) <= MAX_BYTES) return null;
  const fields = [
    ...rasters.map(({ id, drawings }) => ({ id, field: drawings.at(-1)?.field })),
    ...animations.map(({ id, field }) => ({ id, field })),
  ];
  const [largest] = fields.toSorted((a, b) => (bytes.get(b.id) ?? 0) - (bytes.get(a.id) ?? 0));
  return compositionFault(
    'too_much_to_draw',
    'needs too much disk space together with the other pictures: show them smaller, or replace animated images by videos',
    largest?.field,
  );
};

const isText = ({ drawings }: Raster): boolean => drawings.some(({ kind }) => kind === 'text');

/** Texts do not count: they are cropped to their ink, which is unknown before drawing. */
export const estimateDrawnBytes = ({ drawn_bytes }: Scene, { rasters, animations }: Drawn): number =>
  sum([...rasters.filter((raster) => !isText(raster)), ...animations].map(({ id }) => drawn_bytes.get(id) ?? 0));
