import { crc32, deflateSync } from 'node:zlib';
import { join, type Part, u8, u32 } from './numbers.ts';

export const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

export const chunk = (type: string, ...parts: readonly Part[]): Buffer => {
  const body = join(type, ...parts);
  return join(u32(body.length - 4), body, u32(crc32(body)));
};

export type Head = {
  readonly width: number;
  readonly height: number;
  readonly depth?: number;
  /** 0 grey, 2 RGB, 3 indexed, 4 grey with alpha, 6 RGBA */
  readonly color?: number;
  readonly interlaced?: boolean;
};

export const head = ({ width, height, depth = 8, color = 6, interlaced = false }: Head): Buffer =>
  chunk('IHDR', u32(width, height), u8(depth, color, 0, 0, interlaced ? 1 : 0));

export const END = chunk('IEND');

export const png = (...chunks: readonly Buffer[]): Buffer => join(PNG_SIGNATURE, ...chunks, END);

/** Transparent, 4 by 4. */
export const SMALL = { width: 4, height: 4 } as const;
export const SMALL_DATA = chunk('IDAT', deflateSync(Buffer.alloc(4 * 17)));
