import test from 'ava';
import { type Gradient, gradientCanvas } from '../../../engine/raster/gradient.ts';

const drawnAt = (gradient: Partial<Gradient>, width: number, height: number, rotation = 0) => {
  const box = { x: 10, y: 20, width, height };
  const stops = [
    { offset: 0, color: '#000000', opacity: 1 },
    { offset: 1, color: '#FFFFFF', opacity: 1 },
  ];
  const whole: Gradient = { type: 'linear', angle: 90, stops, ...gradient };
  const { pixels } = gradientCanvas(whole, box, rotation, box, new Uint8Array(width * height).fill(255));
  return (x: number, y: number): readonly number[] => [
    ...pixels.subarray(4 * (y * width + x), 4 * (y * width + x) + 4),
  ];
};
const level = (pixel: readonly number[]): number => pixel[0] ?? -1;

test('linear gradients have the angles and lengths of CSS', (t) => {
  const near = (pixel: readonly number[], wanted: number, what: string) =>
    t.true(Math.abs(level(pixel) - wanted) <= 2, `${what}: ${pixel}`);
  const right = drawnAt({ angle: 90 }, 100, 40);
  near(right(0, 20), 1, 'left');
  near(right(50, 5), 129, 'middle');
  near(right(99, 39), 254, 'right');
  const down = drawnAt({ angle: 180 }, 100, 40);
  near(down(70, 0), 3, 'top');
  near(down(10, 39), 252, 'bottom');
  const corner = drawnAt({ angle: 45 }, 60, 60);
  near(corner(0, 59), 2, 'lower left');
  near(corner(59, 0), 253, 'upper right');
  near(corner(0, 0), 128, 'the other diagonal');
  near(drawnAt({ angle: 90 }, 60, 60, 90)(30, 59), 253, 'rotated with its box');
});

test('radial gradients reach the corners, and conic ones turn clockwise', (t) => {
  const radial = drawnAt({ type: 'radial', angle: 0 }, 80, 40);
  t.true(level(radial(40, 20)) < 8);
  t.true(level(radial(0, 0)) > 247 && level(radial(79, 39)) > 247);
  t.true(Math.abs(level(radial(0, 20)) - 255 / Math.SQRT2) < 6, 'at an edge');
  const conic = drawnAt({ type: 'conic', angle: 0 }, 60, 60);
  for (const [x, y, turns] of [
    [31, 0, 0],
    [59, 30, 0.25],
    [30, 59, 0.5],
    [0, 30, 0.75],
    [28, 0, 1],
  ] as const)
    t.true(Math.abs(level(conic(x, y)) - 255 * turns) < 4, `${turns}: ${conic(x, y)}`);
});

test('colours mix premultiplied, and stops out of order count as at the same place', (t) => {
  const faint = drawnAt(
    {
      stops: [
        { offset: 0, color: '#FF0000', opacity: 1 },
        { offset: 1, color: '#00FF00', opacity: 0 },
      ],
    },
    100,
    8,
  )(50, 4);
  t.deepEqual(faint.slice(0, 3), [255, 0, 0], 'the clear end adds no colour');
  t.true(Math.abs((faint[3] ?? 0) - 127) <= 2);
  const hard = drawnAt(
    {
      stops: [
        { offset: 0.5, color: '#FF0000', opacity: 1 },
        { offset: 0.2, color: '#0000FF', opacity: 1 },
      ],
    },
    100,
    8,
  );
  t.deepEqual(
    [hard(48, 3), hard(52, 3)],
    [
      [255, 0, 0, 255],
      [0, 0, 255, 255],
    ],
  );
});

test('a slow gradient has no bands: neighbouring levels are dithered', (t) => {
  const stops = ['#101010', '#181818'].map((color, offset) => ({ offset, color, opacity: 1 }));
  const dark = drawnAt({ stops }, 640, 64);
  for (let x = 8; x < 632; x += 8) {
    let sum = 0;
    for (let column = x; column < x + 8; column += 1) for (let y = 0; y < 64; y += 1) sum += level(dark(column, y));
    const wanted = 16 + (8 * (x + 4)) / 640;
    t.true(Math.abs(sum / 512 - wanted) < 0.06, `${x}: ${sum / 512}, not ${wanted}`);
  }
});
