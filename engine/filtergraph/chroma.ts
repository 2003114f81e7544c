import type { Region } from '../raster/geometry.ts';

/**
 * Compositing uses 4:2:0, where `overlay` places layers only at even pixels. A layer that rests on even pixels is
 * rendered in 4:2:0. Any other layer is rendered in 4:4:4, then shifted by a pixel if necessary, and subsampled.
 */
export type Chroma = '420' | '444';

/** The lowest layer needs no alpha. */
export type LayerPixelFormat = { readonly chroma: Chroma; readonly alpha: boolean };

const SAME_COLORS = 'in_color_matrix=bt709:in_range=tv:out_color_matrix=bt709:out_range=tv';

export const pixelFormat = ({ chroma, alpha }: LayerPixelFormat): string => `yuv${alpha ? 'a' : ''}${chroma}p`;

/** For a layer whose pixels may lie on odd positions; `alignedFormatFilters` is for layers on even positions. */
export const formatFilter = (form: LayerPixelFormat): string => `format=${pixelFormat(form)}`;

/**
 * For 4:4:4, each chroma sample becomes four equal ones, which `subsampleFilters` merges again: both formats look the same.
 */
export const alignedFormatFilters = ({ chroma, alpha }: LayerPixelFormat): readonly string[] => [
  formatFilter({ chroma: '420', alpha }),
  ...(chroma === '444' ? ['scale=flags=neighbor', formatFilter({ chroma, alpha })] : []),
];

export const subsampleFilters = (alpha: boolean): readonly string[] => [
  `scale=flags=area+accurate_rnd:${SAME_COLORS}`,
  formatFilter({ chroma: '420', alpha }),
];

/** In 4:2:0, `overlay` averages alpha except in the last column and row, so transparent pixels are appended there. */
export const EDGE_PIXELS = 2;

export const padTransparentEdge = (region: Region, { chroma, alpha }: LayerPixelFormat) =>
  chroma === '420' && alpha
    ? {
        filters: [`pad=iw+${EDGE_PIXELS}:ih+${EDGE_PIXELS}:0:0:black@0`],
        region: { ...region, width: region.width + EDGE_PIXELS, height: region.height + EDGE_PIXELS },
      }
    : { filters: [], region };
