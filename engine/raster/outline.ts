import type { Region } from './geometry.ts';

/** Coverage is from 0 to 255 for each pixel, row by row. */
export type Coverage = { readonly region: Region; readonly coverage: Uint8Array };

/** `reach`: pixels by which the outline extends beyond this pixel's centre; may be negative. */
type Offset = { readonly dx: number; readonly dy: number; readonly reach: number };

/** `half_widths` has the half-width of fully covered pixels in each row; `rim` has the pixels of the disc's rim. */
const discOf = (width: number): { readonly half_widths: readonly number[]; readonly rim: readonly Offset[] } => {
  const radius = Math.ceil(width);
  const rim: Offset[] = [];
  const half_widths: number[] = [];
  for (let dy = -radius; dy <= radius; dy += 1) {
    let full = -1;
    for (let dx = 0; dx <= radius; dx += 1) {
      const distance = Math.hypot(dx, dy);
      const reach = width - distance;
      if (reach >= 1) full = dx;
      else if (reach > -1) rim.push({ dx, dy, reach }, ...(dx > 0 ? [{ dx: -dx, dy, reach }] : []));
    }
    half_widths.push(full);
  }
  return { half_widths, rim };
};

/** Dilates the letters by `width` pixels, with round corners and antialiased edges. The region grows with them. */
export const dilate = ({ region, coverage }: Coverage, width: number): Coverage => {
  const { half_widths, rim } = discOf(width);
  const margin = (half_widths.length - 1) / 2;
  const around = {
    x: region.x - margin,
    y: region.y - margin,
    width: region.width + 2 * margin,
    height: region.height + 2 * margin,
  };
  const out = new Uint8Array(around.width * around.height);
  // Marks full coverage in each row: +1 where a covered range begins, -1 after its end.
  const steps = new Int32Array((around.width + 1) * around.height);
  const at = (x: number, y: number): number =>
    x < 0 || y < 0 || x >= region.width || y >= region.height ? 0 : (coverage[y * region.width + x] ?? 0);
  for (let y = 0; y < region.height; y += 1)
    for (let x = 0; x < region.width; x += 1) {
      const pixel = at(x, y);
      if (pixel === 0) continue;
      const inside = pixel === 255 && at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) === 4 * 255;
      if (inside) {
        out[(y + margin) * around.width + x + margin] = 255;
        continue;
      }
      for (let row = 0; row < half_widths.length; row += 1) {
        const wide = half_widths[row] ?? -1;
        if (wide < 0) continue;
        const start = (y + row) * (around.width + 1) + x + margin;
        steps[start - wide] = (steps[start - wide] ?? 0) + 1;
        steps[start + wide + 1] = (steps[start + wide + 1] ?? 0) - 1;
      }
      for (const { dx, dy, reach } of rim) {
        const to = (y + margin + dy) * around.width + x + margin + dx;
        const value = Math.min(255, Math.round(255 * reach + pixel));
        if (value > (out[to] ?? 0)) out[to] = value;
      }
    }
  for (let y = 0; y < around.height; y += 1)
    for (let x = 0, sum = 0; x < around.width; x += 1) {
      sum += steps[y * (around.width + 1) + x] ?? 0;
      if (sum > 0) out[y * around.width + x] = 255;
    }
  return { region: around, coverage: out };
};
