import { type Canvas, emptyCanvas } from './canvas.ts';
import type { Region } from './geometry.ts';

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** The result is exact for multiples of 90 degrees, so that such rotations are not blurred. */
const cosine = (degrees: number): number =>
  degrees % 180 === 0 ? Math.cos(radians(degrees)) : degrees % 90 === 0 ? 0 : Math.cos(radians(degrees));
const sine = (degrees: number): number => cosine(degrees - 90);

export const centerOf = ({ x, y, width, height }: Region): { readonly x: number; readonly y: number } => ({
  x: x + width / 2,
  y: y + height / 2,
});

export const rotatedRegion = (region: Region, degrees: number, about = centerOf(region)): Region => {
  if (degrees % 360 === 0) return region;
  const [cos, sin] = [cosine(degrees), sine(degrees)];
  const corners = [region.x, region.x + region.width].flatMap((x) =>
    [region.y, region.y + region.height].map((y) => ({
      x: about.x + (x - about.x) * cos - (y - about.y) * sin,
      y: about.y + (x - about.x) * sin + (y - about.y) * cos,
    })),
  );
  const left = Math.floor(Math.min(...corners.map(({ x }) => x)) - 0.5);
  const top = Math.floor(Math.min(...corners.map(({ y }) => y)) - 0.5);
  const right = Math.ceil(Math.max(...corners.map(({ x }) => x)) + 0.5);
  const bottom = Math.ceil(Math.max(...corners.map(({ y }) => y)) + 0.5);
  return { x: left, y: top, width: right - left, height: bottom - top };
};

/** Bilinear and weighted by alpha, so that edges are antialiased. */
export const rotateCanvas = (
  { region: from, pixels }: Canvas,
  degrees: number,
  about: { readonly x: number; readonly y: number },
  region: Region,
): Canvas => {
  const [cos, sin] = [cosine(degrees), sine(degrees)];
  const canvas = emptyCanvas(region);
  for (let row = 0; row < region.height; row += 1)
    for (let column = 0; column < region.width; column += 1) {
      const across = region.x + column + 0.5 - about.x;
      const down = region.y + row + 0.5 - about.y;
      const x = about.x + across * cos + down * sin - from.x - 0.5;
      const y = about.y - across * sin + down * cos - from.y - 0.5;
      if (x <= -1 || y <= -1 || x >= from.width || y >= from.height) continue;
      const [left, top] = [Math.floor(x), Math.floor(y)];
      let [red, green, blue, alpha] = [0, 0, 0, 0];
      for (let corner = 0; corner < 4; corner += 1) {
        const [dx, dy] = [corner & 1, corner >> 1];
        const [px, py] = [left + dx, top + dy];
        if (px < 0 || py < 0 || px >= from.width || py >= from.height) continue;
        const at = (py * from.width + px) * 4;
        const weight = (1 - Math.abs(x - px)) * (1 - Math.abs(y - py)) * (pixels[at + 3] ?? 0);
        red += weight * (pixels[at] ?? 0);
        green += weight * (pixels[at + 1] ?? 0);
        blue += weight * (pixels[at + 2] ?? 0);
        alpha += weight;
      }
      if (alpha <= 0) continue;
      const to = (row * region.width + column) * 4;
      canvas.pixels[to] = Math.round(red / alpha);
      canvas.pixels[to + 1] = Math.round(green / alpha);
      canvas.pixels[to + 2] = Math.round(blue / alpha);
      canvas.pixels[to + 3] = Math.round(alpha);
    }
  return canvas;
};
