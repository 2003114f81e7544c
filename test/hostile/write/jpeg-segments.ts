import { join, type Part, times, u8, u16 } from './numbers.ts';

export const segment = (marker: number, ...parts: readonly Part[]): Buffer => {
  const body = join(...parts);
  return join(u8(0xff, marker), u16(body.length + 2), body);
};

export const START = u8(0xff, 0xd8);
export const FINISH = u8(0xff, 0xd9);

/** One table, all ones. */
export const QUANTISATION = segment(0xdb, u8(0), Buffer.alloc(64, 1));

/** A table of these symbols, each with a code of `bits` bits, the first one all zeros. */
export const huffman = (where: number, symbols: readonly number[], bits: number): Buffer =>
  segment(0xc4, u8(where), ...times(16, (n) => u8(n + 1 === bits ? symbols.length : 0)), u8(...symbols));

/** The code 0 is no difference, 00 the end of a block, and 01 the end of up to 32,767 blocks. */
export const TABLES = join(QUANTISATION, huffman(0x00, [0], 1), huffman(0x10, [0x00, 0xe0], 2));

export type Frame = {
  readonly width: number;
  readonly height: number;
  readonly components?: number;
  readonly sampling?: number;
};

const frame = (marker: number, { width, height, components = 1, sampling = 0x11 }: Frame): Buffer =>
  segment(
    marker,
    u8(8),
    u16(height, width),
    u8(components),
    ...times(components, (index) => u8(index + 1, index === 0 ? sampling : 0x11, 0)),
  );

export const baseline = (of: Frame): Buffer => frame(0xc0, of);
export const progressive = (of: Frame): Buffer => frame(0xc2, of);

/** Components, first and last coefficient, and bit positions. */
export const scan = (
  components: readonly number[],
  from: number,
  to: number,
  approximation: number,
  data: Part,
): Buffer =>
  join(segment(0xda, u8(components.length), ...components.map((id) => u8(id, 0)), u8(from, to, approximation)), data);

export const jpeg = (...parts: readonly Part[]): Buffer => join(START, ...parts, FINISH);
