import type { Region } from '../raster/geometry.ts';

/**
 * Everything is composited in 4:2:0, where `overlay` places layers only at even pixels. A layer that rests on even
 * pixels is rendered in 4:2:0. Any other one is rendered in 4:4:4 until it is overlaid: it is then shifted by a pixel
 * if necessary, and subsampled.
 */
export type Chroma = '420' | '444';

/** The pixel format of a layer's pictures. The lowest layer needs no alpha. */
export type PixelForm = { readonly chroma: Chroma; readonly alpha: boolean };

const SAME_COLORS = 'in_color_matrix=bt709:in_range=tv:out_color_matrix=bt709:out_range=tv';

/** ffmpeg's name of the pixel format. */
export const pixelFormat = ({ chroma, alpha }: PixelForm): string => `yuv${alpha ? 'a' : ''}${chroma}p`;

/** The filter that converts a layer whose own pixels may lie on odd positions. */
export const formatOf = (form: PixelForm): string => `format=${pixelFormat(form)}`;

/**
 * The filters that convert a layer whose own pixels lie on even positions. For 4:4:4, each chroma sample becomes four
 * equal ones, which `subsampled` merges into the same one again. So both formats look the same.
 */
export const subsampledFirst = ({ chroma, alpha }: PixelForm): readonly string[] => [
  formatOf({ chroma: '420', alpha }),
  ...(chroma === '444' ? ['scale=flags=neighbor', formatOf({ chroma, alpha })] : []),
];

/** Converts 4:4:4 to 4:2:0 by the mean of four samples, as `overlay` does for alpha. */
export const subsampled = (alpha: boolean): readonly string[] => [
  `scale=flags=area+accurate_rnd:${SAME_COLORS}`,
  formatOf({ chroma: '420', alpha }),
];

/**
 * In 4:2:0, `overlay` takes the mean of alpha except in the last column and row. So as many transparent ones are
 * appended.
 */
export const EDGE_PIXELS = 2;

/** The filters that add the edge, and the region including it. */
export const withEdge = (region: Region, { chroma, alpha }: PixelForm) =>
  chroma === '420' && alpha
    ? {
        filters: [`pad=iw+${EDGE_PIXELS}:ih+${EDGE_PIXELS}:0:0:black@0`],
        region: { ...region, width: region.width + EDGE_PIXELS, height: region.height + EDGE_PIXELS },
      }
    : { filters: [], region };
