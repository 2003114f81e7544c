import test from 'ava';
import type { Canvas } from '../../../engine/raster/canvas.ts';
import { ditherDarkGradients } from '../../../engine/raster/dither.ts';

const [WIDTH, HEIGHT] = [200, 32];

const canvasOf = (at: (x: number, y: number) => readonly [number, number, number], alpha = 255): Canvas => {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 4);
  for (let y = 0; y < HEIGHT; y += 1)
    for (let x = 0; x < WIDTH; x += 1) pixels.set([...at(x, y), alpha], (y * WIDTH + x) * 4);
  return { region: { x: 6, y: 10, width: WIDTH, height: HEIGHT }, pixels };
};

/** Luma of studio range, rounded as in ffmpeg. */
const studio = ({ pixels }: Canvas, x: number, y: number): number => {
  const [red = 0, green = 0, blue = 0] = pixels.subarray((y * WIDTH + x) * 4);
  return 16 + Math.round(((0.2126 * red + 0.7152 * green + 0.0722 * blue) * 219) / 255);
};

const changed = (of: Canvas): boolean => {
  const before = Buffer.from(of.pixels);
  ditherDarkGradients(of);
  return !before.equals(of.pixels);
};

const ramp = (along: number): number => Math.floor(along / 20);

test('a step of a dark gradient keeps its mean luma in both directions', (t) => {
  for (const canvas of [
    canvasOf((x) => [ramp(x), ramp(x), ramp(x)]),
    canvasOf((x) => [ramp(x) + 3, ramp(x), ramp(x) + 20]),
  ]) {
    const source = canvas.pixels.subarray(0, 4 * WIDTH).map(Number);
    ditherDarkGradients(canvas);
    for (let step = 1; step < 9; step += 1) {
      const [red = 0, green = 0, blue = 0] = source.subarray(80 * step);
      let sum = 0;
      for (let x = 20 * step; x < 20 * step + 16; x += 1) for (let y = 0; y < 32; y += 1) sum += studio(canvas, x, y);
      const wanted = 16 + ((0.2126 * red + 0.7152 * green + 0.0722 * blue) * 219) / 255;
      t.true(Math.abs(sum / 512 - wanted) < 0.02, `step ${step}: ${sum / 512}, not ${wanted}`);
    }
  }
  t.true(changed(canvasOf((_, y) => [ramp(5 * y), ramp(5 * y), ramp(5 * y)])));
});

test('flat colours, detail, light gradients and translucent pixels are unchanged', (t) => {
  t.false(changed(canvasOf(() => [9, 9, 9])), 'flat');
  t.false(changed(canvasOf((x) => (x < 100 ? [9, 9, 9] : [10, 10, 10]))), 'two flat colours that are close');
  t.false(changed(canvasOf((x) => (x > 80 && x < 120 ? [9, 9, 9] : [10, 10, 10]))), 'a faint bar');
  t.false(changed(canvasOf((x) => [4 * ramp(x), 4 * ramp(x), 4 * ramp(x)])), 'visible steps');
  t.false(changed(canvasOf((x) => [120 + ramp(x), 120 + ramp(x), 120 + ramp(x)])), 'light');
  t.false(changed(canvasOf((x) => [ramp(x), ramp(x), ramp(x)], 254)), 'translucent');
});
