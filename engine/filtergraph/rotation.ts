import { centerOf, evenLength, type Region } from '../raster/geometry.ts';
import type { VideoStep } from '../scene/scene.ts';
import { decimal } from './expressions.ts';

export type RotatedChain = { readonly graph: readonly string[]; readonly chain: string; readonly region: Region };

const QUARTERS: Readonly<Record<number, string>> = {
  90: 'transpose=clock',
  180: 'hflip,vflip',
  270: 'transpose=cclock',
};

const rotatedPoint = (x: number, y: number, about: { readonly x: number; readonly y: number }, degrees: number) => {
  const radians = (degrees * Math.PI) / 180;
  const [across, down] = [x - about.x, y - about.y];
  return {
    x: about.x + across * Math.cos(radians) - down * Math.sin(radians),
    y: about.y + across * Math.sin(radians) + down * Math.cos(radians),
  };
};

/**
 * Multiples of 90 degrees are exact. For other angles, a transparent border of two pixels antialiases the edge. The
 * border has the video's colours, because the `rotate` filter repeats the second pixel from the edge outside its input.
 */
export const rotateVideo = (step: VideoStep, chain: string, label: string): RotatedChain => {
  const { seen, rotation, dense } = step;
  const from = centerOf(seen);
  const to = rotatedPoint(from.x, from.y, centerOf(dense), rotation);
  const at = (width: number, height: number): Region => ({
    x: Math.floor(to.x - width / 2 + 0.5),
    y: Math.floor(to.y - height / 2 + 0.5),
    width,
    height,
  });
  const quarter = QUARTERS[rotation];
  if (quarter !== undefined) {
    const region = rotation === 180 ? at(seen.width, seen.height) : at(seen.height, seen.width);
    return { graph: [], chain: `${chain},${quarter}`, region };
  }
  const radians = (rotation * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
  const side = (length: number): number => evenLength(length) + 2;
  const region = at(side(seen.width * cos + seen.height * sin), side(seen.width * sin + seen.height * cos));
  const pad = 'pad=iw+4:ih+4:2:2:color=black@0';
  return {
    graph: [
      `${chain},split[${label}flat][${label}edge]`,
      `[${label}flat]${pad},fillborders=left=2:right=2:top=2:bottom=2:mode=smear[${label}smeared]`,
      `[${label}edge]${pad},alphaextract[${label}edged]`,
    ],
    chain: `[${label}smeared][${label}edged]alphamerge,rotate=a=${decimal(radians)}:ow=${region.width}:oh=${region.height}:c=black@0`,
    region,
  };
};
