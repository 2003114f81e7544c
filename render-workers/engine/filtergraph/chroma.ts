import type { Region } from '../raster/geometry.ts';

/** Chroma subsampling of compositing. */
export type Chroma = '420' | '444';

/** The form in which a layer is composited. The lowest one needs no alpha. */
export type Composited = { readonly chroma: Chroma; readonly alpha: boolean };

const ALIKE = 'in_color_matrix=bt709:in_range=tv:out_color_matrix=bt709:out_range=tv';

/** 4:4:4 of what is composited in 4:2:0: each chroma sample becomes four equal ones. */
export const REPEATED = 'scale=flags=neighbor,format=yuv444p';

/**
 * Converts a layer on even pixels, as filters: for 4:4:4 each chroma sample becomes four equal ones, of which `SUBSAMPLED`
 * makes the same one again. So it looks the same in both.
 */
export const subsampledFirst = ({ chroma, alpha }: Composited): readonly string[] => {
  const format = `format=yuv${alpha ? 'a' : ''}`;
  return [`${format}420p`, ...(chroma === '444' ? ['scale=flags=neighbor', `${format}444p`] : [])];
};

/** 4:2:0 of composited 4:4:4: the mean of four samples, as `overlay` takes that of alpha in 4:2:0. */
export const SUBSAMPLED = `scale=flags=area+accurate_rnd:${ALIKE},format=yuv420p`;

const EDGE_PIXELS = 2;

/**
 * In 4:2:0 `overlay` takes the mean of alpha but in the last column and row, so transparent ones follow: the filters that
 * add them, and the region with them.
 */
export const withEdge = (region: Region, { chroma, alpha }: Composited) =>
  chroma === '420' && alpha
    ? {
        filters: [`pad=iw+${EDGE_PIXELS}:ih+${EDGE_PIXELS}:0:0:black@0`],
        region: { ...region, width: region.width + EDGE_PIXELS, height: region.height + EDGE_PIXELS },
      }
    : { filters: [], region };
