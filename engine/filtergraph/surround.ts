import { type EdgePadding, expandRegion } from '../raster/geometry.ts';
import type { LayerFrames } from './layer-chain.ts';

const padBy = (pixels: number): string => `pad=iw+${2 * pixels}:ih+${2 * pixels}:${pixels}:${pixels}:color=black@0`;
const smearBy = (pixels: number): string =>
  `${padBy(pixels)},fillborders=left=${pixels}:right=${pixels}:top=${pixels}:bottom=${pixels}:mode=smear`;

/** The surround has the colours of the picture's edges; its innermost pixels are opaque if requested. */
export const addEdgePaddingFilter = (
  { margin, opaque: kept }: EdgePadding,
  { graph, chain, region, form, opaque }: LayerFrames,
  label: string,
): LayerFrames => {
  const grown = expandRegion(region, margin);
  if (kept === margin) return { graph, chain: `${chain},${smearBy(margin)}`, region: grown, form, opaque };
  const shape = [...(kept === 0 ? [] : [smearBy(kept)]), padBy(margin - kept), 'alphaextract'];
  return {
    graph: [
      ...graph,
      `${chain},split[${label}inner][${label}within]`,
      `[${label}inner]${smearBy(margin)}[${label}grown]`,
      `[${label}within]${shape.join(',')}[${label}shaped]`,
    ],
    chain: `[${label}grown][${label}shaped]alphamerge`,
    region: grown,
    form,
    opaque: false,
  };
};

/** Surround of a layer on odd pixels, whose edges share chroma samples with the pixels around them. */
export const ODD_PIXEL_PADDING: EdgePadding = { margin: 2, opaque: 0 };
