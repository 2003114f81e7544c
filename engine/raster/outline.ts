import type { Region } from './geometry.ts';

/** The coverage of each pixel of a region, 0 to 255, row by row. */
export type Coverage = { readonly region: Region; readonly coverage: Uint8Array };

/** `reach`: how far the outline extends beyond this pixel's centre, in pixels; may be negative. */
type Offset = { readonly dx: number; readonly dy: number; readonly reach: number };

/** A disc of the outline's width: the extent that surely covers each of its rows, and the pixels of its rim. */
const discOf = (width: number): { readonly half: readonly number[]; readonly rim: readonly Offset[] } => {
  const most = Math.ceil(width);
  const rim: Offset[] = [];
  const half: number[] = [];
  for (let dy = -most; dy <= most; dy += 1) {
    let full = -1;
    for (let dx = 0; dx <= most; dx += 1) {
      const away = Math.hypot(dx, dy);
      const reach = width - away;
      if (reach >= 1) full = dx;
      else if (reach > -1) rim.push({ dx, dy, reach }, ...(dx > 0 ? [{ dx: -dx, dy, reach }] : []));
    }
    half.push(full);
  }
  return { half, rim };
};

/**
 * The letters grown by `width` pixels on all sides, with round corners and smooth edges; the region grows with them. In
 * a partly covered pixel, the edge is so far from its beginning, and the outline extends so far less.
 */
export const grown = ({ region, coverage }: Coverage, width: number): Coverage => {
  const { half, rim } = discOf(width);
  const margin = (half.length - 1) / 2;
  const around = {
    x: region.x - margin,
    y: region.y - margin,
    width: region.width + 2 * margin,
    height: region.height + 2 * margin,
  };
  const out = new Uint8Array(around.width * around.height);
  // Full coverage: a step up where it begins in a row, one down after its end.
  const steps = new Int32Array((around.width + 1) * around.height);
  const at = (x: number, y: number): number =>
    x < 0 || y < 0 || x >= region.width || y >= region.height ? 0 : (coverage[y * region.width + x] ?? 0);
  for (let y = 0; y < region.height; y += 1)
    for (let x = 0; x < region.width; x += 1) {
      const own = at(x, y);
      if (own === 0) continue;
      const inside = own === 255 && at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) === 4 * 255;
      if (inside) {
        out[(y + margin) * around.width + x + margin] = 255;
        continue;
      }
      for (let row = 0; row < half.length; row += 1) {
        const wide = half[row] ?? -1;
        if (wide < 0) continue;
        const start = (y + row) * (around.width + 1) + x + margin;
        steps[start - wide] = (steps[start - wide] ?? 0) + 1;
        steps[start + wide + 1] = (steps[start + wide + 1] ?? 0) - 1;
      }
      for (const { dx, dy, reach } of rim) {
        const to = (y + margin + dy) * around.width + x + margin + dx;
        const covered = Math.min(255, Math.round(255 * reach + own));
        if (covered > (out[to] ?? 0)) out[to] = covered;
      }
    }
  for (let y = 0; y < around.height; y += 1)
    for (let x = 0, sum = 0; x < around.width; x += 1) {
      sum += steps[y * (around.width + 1) + x] ?? 0;
      if (sum > 0) out[y * around.width + x] = 255;
    }
  return { region: around, coverage: out };
};
