export type Matrix = readonly [number, number, number, number, number, number, number, number, number];
type Vector = readonly [number, number, number];

type Point = { readonly x: number; readonly y: number };
/** White point and primaries of a picture (CIE 1931 x, y). */
export type Chromaticities = {
  readonly white: Point;
  readonly red: Point;
  readonly green: Point;
  readonly blue: Point;
};

export const BT709: Chromaticities = {
  white: { x: 0.3127, y: 0.329 },
  red: { x: 0.64, y: 0.33 },
  green: { x: 0.3, y: 0.6 },
  blue: { x: 0.15, y: 0.06 },
};

const product = (a: Matrix, b: Matrix): Matrix => {
  const cell = (row: 0 | 3 | 6, column: 0 | 1 | 2): number =>
    a[row] * b[column] + (a[row + 1] ?? 0) * (b[column + 3] ?? 0) + (a[row + 2] ?? 0) * (b[column + 6] ?? 0);
  return [
    ...([cell(0, 0), cell(0, 1), cell(0, 2)] as const),
    ...([cell(3, 0), cell(3, 1), cell(3, 2)] as const),
    ...([cell(6, 0), cell(6, 1), cell(6, 2)] as const),
  ];
};

const apply = ([a, b, c, d, e, f, g, h, i]: Matrix, [x, y, z]: Vector): Vector => [
  a * x + b * y + c * z,
  d * x + e * y + f * z,
  g * x + h * y + i * z,
];

/** The values are infinite, NaN or very large if the primaries do not form a triangle. */
const inverse = ([a, b, c, d, e, f, g, h, i]: Matrix): Matrix => {
  const by = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  return [
    ...([(e * i - f * h) / by, (c * h - b * i) / by, (b * f - c * e) / by] as const),
    ...([(f * g - d * i) / by, (a * i - c * g) / by, (c * d - a * f) / by] as const),
    ...([(d * h - e * g) / by, (b * g - a * h) / by, (a * e - b * d) / by] as const),
  ];
};

const diagonal = ([x, y, z]: Vector): Matrix => [x, 0, 0, 0, y, 0, 0, 0, z];
const xyzOf = ({ x, y }: Point): Vector => [x / y, 1, (1 - x - y) / y];

const toXyz = ({ white, red, green, blue }: Chromaticities): Matrix => {
  const [r, g, b] = [xyzOf(red), xyzOf(green), xyzOf(blue)];
  const primaries: Matrix = [r[0], g[0], b[0], r[1], g[1], b[1], r[2], g[2], b[2]];
  return product(primaries, diagonal(apply(inverse(primaries), xyzOf(white))));
};

/** Bradford chromatic adaptation, as in ICC profiles. */
const CONES: Matrix = [0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296];
const adaptation = (from: Point, to: Point): Matrix => {
  const [source, target] = [apply(CONES, xyzOf(from)), apply(CONES, xyzOf(to))];
  const factors = diagonal([target[0] / source[0], target[1] / source[1], target[2] / source[2]]);
  return product(inverse(CONES), product(factors, CONES));
};

/** Converts linear light of these chromaticities to BT.709; null if they are invalid. */
export const matrixToBt709 = (of: Chromaticities): Matrix | null => {
  const matrix = product(inverse(toXyz(BT709)), product(adaptation(of.white, BT709.white), toXyz(of)));
  return matrix.every((number) => Math.abs(number) < 100) ? matrix : null;
};
