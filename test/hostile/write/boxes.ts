import { join, type Part, u8, u24, u32, u64 } from './numbers.ts';

/** A box of ISO media files such as MP4, MOV and AVIF. */
export const box = (type: string, ...parts: readonly Part[]): Buffer => {
  const body = join(...parts);
  return join(u32(body.length + 8), type, body);
};

export const fullBox = (type: string, version: number, flags: number, ...parts: readonly Part[]): Buffer =>
  box(type, u8(version), u24(flags), ...parts);

export const lyingBox = (type: string, size: number, ...parts: readonly Part[]): Buffer =>
  join(u32(size), type, ...parts);

export const wideBox = (type: string, size: number | bigint, ...parts: readonly Part[]): Buffer =>
  join(u32(1), type, u64(size), ...parts);

export const nestedBoxes = (type: string, depth: number, inside: Buffer): Buffer => {
  const total = depth * 8 + inside.length;
  const heads = Array.from({ length: depth }, (_, index) => join(u32(total - index * 8), type));
  return join(...heads, inside);
};
