import { grownBy, type Surround } from '../raster/geometry.ts';
import type { Pictures } from './layer-chain.ts';

const bordered = (pixels: number): string => `pad=iw+${2 * pixels}:ih+${2 * pixels}:${pixels}:${pixels}:color=black@0`;
const smeared = (pixels: number): string =>
  `${bordered(pixels)},fillborders=left=${pixels}:right=${pixels}:top=${pixels}:bottom=${pixels}:mode=smear`;

/** Gives pictures with alpha the colours of their edges all around, opaque next to them where the surround is. */
export const surrounded = (
  { margin, opaque: kept }: Surround,
  { graph, chain, region, form, opaque }: Pictures,
  label: string,
): Pictures => {
  const grown = grownBy(region, margin);
  if (kept === margin) return { graph, chain: `${chain},${smeared(margin)}`, region: grown, form, opaque };
  const shape = [...(kept === 0 ? [] : [smeared(kept)]), bordered(margin - kept), 'alphaextract'];
  return {
    graph: [
      ...graph,
      `${chain},split[${label}inner][${label}within]`,
      `[${label}inner]${smeared(margin)}[${label}grown]`,
      `[${label}within]${shape.join(',')}[${label}shaped]`,
    ],
    chain: `[${label}grown][${label}shaped]alphamerge`,
    region: grown,
    form,
    opaque: false,
  };
};

/** What a layer on odd pixels needs: its edges share chroma samples with what is around it. */
export const ODD_SURROUND: Surround = { margin: 2, opaque: 0 };
