import { join, type Part, u16le, u32le } from './numbers.ts';

/** Tag, type (3: 16 bits, 4: 32 bits), count, and the value or its offset. */
export type Entry = readonly [tag: number, type: number, count: number, value: number];

export const directory = (entries: readonly Entry[], next: number): Buffer =>
  join(
    u16le(entries.length),
    ...entries.map(([tag, type, count, value]) => join(u16le(tag, type), u32le(count, value))),
    u32le(next),
  );

export const tiff = (...parts: readonly Part[]): Buffer => join('II', u16le(42), u32le(8), ...parts);

export const sizeOfDirectory = (entries: readonly Entry[]): number => 6 + 12 * entries.length;

const SHORT = 3;
const LONG = 4;

export const picture = (
  width: number,
  height: number,
  at: number,
  bytes: number,
  compression = 1,
): readonly Entry[] => [
  [256, LONG, 1, width],
  [257, LONG, 1, height],
  [258, SHORT, 1, 8],
  [259, SHORT, 1, compression],
  [262, SHORT, 1, 1],
  [273, LONG, 1, at],
  [277, SHORT, 1, 1],
  [278, LONG, 1, height],
  [279, LONG, 1, bytes],
];

export const changed = (entries: readonly Entry[], ...by: readonly Entry[]): readonly Entry[] =>
  [...entries.filter(([tag]) => !by.some(([other]) => other === tag)), ...by].sort(([a], [b]) => a - b);

/** One picture with its data after the directory. */
export const oneImage = (entries: (at: number) => readonly Entry[], data: Buffer): Buffer =>
  tiff(directory(entries(8 + sizeOfDirectory(entries(0))), 0), data);
