import type { Region } from '../raster/geometry.ts';

/**
 * All is composited in 4:2:0, in which `overlay` lays at even pixels only. So a layer that rests on even pixels is made in
 * 4:2:0, and any other one in 4:4:4 until it is laid: it is then moved by a pixel where it must be, and subsampled.
 */
export type Chroma = '420' | '444';

/** The form of a layer's pictures. The lowest layer's need no alpha. */
export type PixelForm = { readonly chroma: Chroma; readonly alpha: boolean };

const ALIKE = 'in_color_matrix=bt709:in_range=tv:out_color_matrix=bt709:out_range=tv';

/** ffmpeg's name of the pixel format. */
export const pixelFormat = ({ chroma, alpha }: PixelForm): string => `yuv${alpha ? 'a' : ''}${chroma}p`;

/** Converts a layer whose own pixels lie anyhow, as a filter. */
export const formatOf = (form: PixelForm): string => `format=${pixelFormat(form)}`;

/**
 * Converts a layer whose own pixels lie on even ones, as filters: for 4:4:4 each chroma sample becomes four equal ones, of
 * which `subsampled` makes the same one again. So it looks the same in both.
 */
export const subsampledFirst = ({ chroma, alpha }: PixelForm): readonly string[] => [
  formatOf({ chroma: '420', alpha }),
  ...(chroma === '444' ? ['scale=flags=neighbor', formatOf({ chroma, alpha })] : []),
];

/** 4:2:0 of 4:4:4: the mean of four samples, as `overlay` takes that of alpha. */
export const subsampled = (alpha: boolean): readonly string[] => [
  `scale=flags=area+accurate_rnd:${ALIKE}`,
  formatOf({ chroma: '420', alpha }),
];

/** In 4:2:0 `overlay` takes the mean of alpha but in the last column and row, so as many transparent ones follow. */
export const EDGE_PIXELS = 2;

/** The filters that add the edge, and the region with it. */
export const withEdge = (region: Region, { chroma, alpha }: PixelForm) =>
  chroma === '420' && alpha
    ? {
        filters: [`pad=iw+${EDGE_PIXELS}:ih+${EDGE_PIXELS}:0:0:black@0`],
        region: { ...region, width: region.width + EDGE_PIXELS, height: region.height + EDGE_PIXELS },
      }
    : { filters: [], region };
