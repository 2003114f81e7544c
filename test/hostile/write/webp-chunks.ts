import { bitsFromBelow } from './bits.ts';
import { type Part, u8, u24le } from './numbers.ts';
import { riff, riffChunk } from './riff.ts';

/** A picture of one colour and any size in twenty bytes: each of its five codes has a single symbol of zero bits. */
export const lossless = (width: number, height: number): Buffer =>
  riffChunk(
    'VP8L',
    u8(0x2f),
    bitsFromBelow(
      ...([
        [width - 1, 14],
        [height - 1, 14],
        [1, 1],
        [0, 3],
      ] as const),
      // no transform, no colour cache, no further tables
      ...([
        [0, 1],
        [0, 1],
        [0, 1],
      ] as const),
      ...Array.from(
        { length: 5 },
        () =>
          [
            [1, 1],
            [0, 1],
            [0, 1],
            [0, 1],
          ] as const,
      ).flat(),
    ),
    Buffer.alloc(8),
  );

export const ANIMATED = 0x02;
export const ALPHA = 0x10;
export const ICC = 0x20;

export const extended = (flags: number, width: number, height: number): Buffer =>
  riffChunk('VP8X', u8(flags, 0, 0, 0), u24le(width - 1), u24le(height - 1));

export const animation = (loops = 0): Buffer => riffChunk('ANIM', u8(0, 0, 0, 0, loops & 255, loops >> 8));

export const frame = (x: number, y: number, width: number, height: number, delay_ms: number, picture: Part): Buffer =>
  riffChunk('ANMF', u24le(x / 2), u24le(y / 2), u24le(width - 1), u24le(height - 1), u24le(delay_ms), u8(0), picture);

export const webp = (...parts: readonly Part[]): Buffer => riff('WEBP', ...parts);
