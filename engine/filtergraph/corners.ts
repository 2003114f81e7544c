import type { Region } from '../raster/geometry.ts';
import type { VideoStep } from '../scene/scene.ts';
import { decimal } from './expressions.ts';
import type { LayerFrames } from './layer-chain.ts';

type Corners = NonNullable<VideoStep['corners']>;

/**
 * One grey frame, whose brightness is the coverage of the rounded picture. Only one corner is computed, because `geq` is
 * slow. `overlay` copies it to the others.
 */
const cornerMask = ({ radius: given, of }: Corners, region: Region, label: string): readonly string[] => {
  const radius = Math.min(given, of.width / 2, of.height / 2);
  const side = Math.ceil(radius);
  const from = (at: 'X' | 'Y'): string => `max(0,${decimal(radius)}-0.5-${at})`;
  const level = `255*clip(${decimal(radius + 0.5)}-hypot(${from('X')},${from('Y')}),0,1)`;
  const frame = (size: string): string => `color=c=black:s=${size}:r=1:d=1,format=yuv444p`;
  const [left, top] = [of.x - region.x, of.y - region.y];
  const [right, bottom] = [left + of.width - side, top + of.height - side];
  const corners = [
    { flip: 'null', x: left, y: top },
    { flip: 'hflip', x: right, y: top },
    { flip: 'vflip', x: left, y: bottom },
    { flip: 'hflip,vflip', x: right, y: bottom },
  ];
  const name = (index: number): string => `${label}corner${index}`;
  return [
    `${frame(`${region.width}x${region.height}`)},lutyuv=y=0[${name(0)}empty]`,
    `${frame(`${of.width}x${of.height}`)},lutyuv=y=255[${name(0)}full]`,
    `[${name(0)}empty][${name(0)}full]overlay=${left}:${top}:format=yuv444[${name(0)}all]`,
    `${frame(`${side}x${side}`)},geq=lum='${level}':cb=128:cr=128,split=4${corners.map((_, n) => `[${name(n)}]`).join('')}`,
    ...corners.flatMap(({ flip, x, y }, n) => [
      `[${name(n)}]${flip}[${name(n)}turned]`,
      `[${name(n)}all][${name(n)}turned]overlay=${x}:${y}:format=yuv444[${name(n + 1)}all]`,
    ]),
    `[${name(corners.length)}all]extractplanes=y,setparams=range=pc[${label}rounded]`,
  ];
};

/** The frames' alpha is multiplied by the mask, which ffmpeg repeats for all frames. */
export const roundCorners = (
  { corners, transparent }: VideoStep,
  { graph, chain, region }: Pick<LayerFrames, 'graph' | 'chain' | 'region'>,
  label: string,
): Pick<LayerFrames, 'graph' | 'chain' | 'region'> => {
  if (corners === undefined) return { graph, chain, region };
  const mask = cornerMask(corners, region, label);
  if (!transparent)
    return {
      graph: [...graph, ...mask, `${chain}[${label}square]`],
      chain: `[${label}square][${label}rounded]alphamerge`,
      region,
    };
  return {
    graph: [
      ...graph,
      ...mask,
      `${chain},split[${label}square][${label}own]`,
      `[${label}own]alphaextract,setparams=range=pc[${label}ownalpha]`,
      `[${label}ownalpha][${label}rounded]blend=all_mode=multiply[${label}cut]`,
    ],
    chain: `[${label}square][${label}cut]alphamerge`,
    region,
  };
};
