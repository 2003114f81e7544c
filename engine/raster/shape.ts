import sharp from 'sharp';
import type { Region } from './geometry.ts';
import type { Coverage } from './outline.ts';
import { centerOf } from './turn.ts';

/** The element's coordinates are pixels of the frame. */
export const roundedRectangle = ({ x, y, width, height }: Region, radius: number): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${Math.min(radius, width / 2, height / 2)}"/>`;

export const ellipse = (box: Region): string => {
  const { x, y } = centerOf(box);
  return `<ellipse cx="${x}" cy="${y}" rx="${box.width / 2}" ry="${box.height / 2}"/>`;
};

export const rotatedShape = (shape: string, degrees: number, box: Region): string => {
  const { x, y } = centerOf(box);
  return degrees === 0 ? shape : `<g transform="rotate(${degrees} ${x} ${y})">${shape}</g>`;
};

export const shapeCoverage = async (shape: string, region: Region): Promise<Coverage> => {
  const { x, y, width, height } = region;
  const coverage = await sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${x} ${y} ${width} ${height}">${shape}</svg>`,
    ),
  )
    .ensureAlpha()
    .extractChannel(3)
    .raw()
    .toBuffer();
  return { region, coverage };
};
