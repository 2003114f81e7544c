import { join, type Part, u8, u16le } from './numbers.ts';

export const screen = (width: number, height: number): Buffer =>
  join('GIF89a', u16le(width, height), u8(0x80, 0, 0), u8(0, 0, 0, 255, 255, 255));

export const END = u8(0x3b);

export const control = (delay_cs: number, disposal = 0): Buffer =>
  join(u8(0x21, 0xf9, 4, disposal << 2), u16le(delay_cs), u8(0, 0));

/** The picture is one pixel of LZW, whatever size the frame declares. */
export const frame = (width: number, height: number, x = 0, y = 0, data: Buffer = u8(2, 2, 0x44, 0x01, 0)): Buffer =>
  join(u8(0x2c), u16le(x, y, width, height), u8(0), data);

export const gif = (width: number, height: number, ...parts: readonly Part[]): Buffer =>
  join(screen(width, height), ...parts, END);

export const loop = (count: number): Buffer => join(u8(0x21, 0xff, 11), 'NETSCAPE2.0', u8(3, 1), u16le(count), u8(0));
