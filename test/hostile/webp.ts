import { filesOf, type HostileFile, REFUSED } from './hostile-file.ts';
import { join, many, repeated, u8, u24le, u32le } from './write/numbers.ts';
import { lyingChunk, riffChunk } from './write/riff.ts';
import { ALPHA, ANIMATED, animation, extended, frame, ICC, lossless, webp } from './write/webp-chunks.ts';

const file = filesOf('webp', 'image', '.webp');
const SMALL = lossless(2, 2);

const animated = (side: number, frames: number, of: Buffer, disposal = 0): Buffer =>
  webp(extended(ANIMATED | ALPHA, side, side), animation(), repeated(frame(0, 0, 2, 2, 20 + disposal, of), frames));

export const WEBP: readonly HostileFile[] = [
  file(
    'size',
    'square-of-16383',
    'the largest picture of one colour, in 40 bytes',
    () => webp(lossless(16_383, 16_383)),
    REFUSED,
  ),
  file('size', 'just-within-the-limit', '10,000 by 10,000 pixels in 40 bytes', () => webp(lossless(10_000, 10_000))),
  file('size', 'wide', '16,383 by 6,000 pixels in 40 bytes', () => webp(lossless(16_383, 6000))),
  file(
    'size',
    'canvas-of-2-24',
    'a canvas of 2^24 pixels on a side',
    () => webp(extended(0, 2 ** 24, 2 ** 24), SMALL),
    REFUSED,
  ),
  file(
    'size',
    'animated-canvas-of-2-24',
    'an animation of 2^24 by 255 pixels',
    () => webp(extended(ANIMATED, 2 ** 24, 255), animation(), frame(0, 0, 2, 2, 9, SMALL)),
    REFUSED,
  ),
  file('size', 'canvas-that-is-not-its-picture', 'a canvas of 4 pixels with a picture of 10,000', () =>
    webp(extended(ALPHA, 4, 4), lossless(10_000, 10_000)),
  ),
  file('time', 'frames-of-a-large-canvas', '20,000 frames of one pixel on 100 million', () =>
    animated(10_000, 20_000, SMALL),
  ),
  file('count', 'frames', '30,000 frames', () => animated(16, 30_000, SMALL)),
  file('time', 'large-frames', '1,000 frames of 3,000 by 3,000 pixels, in 60 bytes each', () =>
    webp(
      extended(ANIMATED, 3000, 3000),
      animation(),
      repeated(frame(0, 0, 3000, 3000, 40, lossless(3000, 3000)), 1000),
    ),
  ),
  file('time', 'largest-frames', '20,000 frames of 100 million pixels', () =>
    webp(
      extended(ANIMATED, 10_000, 10_000),
      animation(),
      repeated(frame(0, 0, 10_000, 10_000, 40, lossless(10_000, 10_000)), 20_000),
    ),
  ),
  file('time', 'frames-of-no-time', '10,000 frames without a delay', () =>
    webp(extended(ANIMATED, 9, 9), animation(65_535), repeated(frame(0, 0, 2, 2, 0, SMALL), 10_000)),
  ),
  file('time', 'frames-of-hours', '10,000 frames of four hours', () =>
    webp(extended(ANIMATED, 9, 9), animation(), repeated(frame(0, 0, 2, 2, 2 ** 24 - 1, SMALL), 10_000)),
  ),
  file('lie', 'frame-outside-its-canvas', 'a frame at 2^24', () =>
    webp(extended(ANIMATED, 4, 4), animation(), frame(2 ** 24 - 2, 2 ** 24 - 2, 2, 2, 9, SMALL)),
  ),
  file('lie', 'frame-larger-than-it-says', 'a frame of 2 pixels with a picture of 10,000', () =>
    webp(extended(ANIMATED, 4, 4), animation(), frame(0, 0, 2, 2, 9, lossless(10_000, 10_000))),
  ),
  file('depth', 'frames-in-frames', '2,000 frames in each other', () => {
    let inner = SMALL;
    for (let level = 0; level < 2000; level += 1) inner = frame(0, 0, 2, 2, 9, inner);
    return webp(extended(ANIMATED, 4, 4), animation(), inner);
  }),
  file('count', 'chunks', '200,000 unknown chunks', () =>
    webp(extended(0, 2, 2), SMALL, repeated(riffChunk('JUNK'), 200_000)),
  ),
  file('count', 'extended-heads', '50,000 heads', () => webp(repeated(extended(0, 2, 2), 50_000), SMALL)),
  file('size', 'profile', 'an ICC profile of a mebibyte of nothing', () =>
    webp(extended(ICC, 2, 2), riffChunk('ICCP', Buffer.alloc(2 ** 20)), SMALL),
  ),
  file('lie', 'riff-of-4-gb', 'a file that says to have 4 GB', () => join('RIFF', u32le(0xffffffff), 'WEBP', SMALL)),
  file(
    'lie',
    'riff-of-nothing',
    'a file that says to have no byte',
    () => join('RIFF', u32le(0), 'WEBP', SMALL),
    REFUSED,
  ),
  file('lie', 'chunk-of-4-gb', 'a chunk that says to have 4 GB', () =>
    webp(extended(ANIMATED, 4, 4), animation(), lyingChunk('ANMF', 0xfffffffe, Buffer.alloc(16))),
  ),
  file(
    'lie',
    'tables-of-codes-too-large',
    'VP8L that says to have many groups of codes',
    () => webp(riffChunk('VP8L', u8(0x2f), Buffer.alloc(600, 0xff))),
    REFUSED,
  ),
  file('lie', 'alpha-larger-than-its-picture', 'a plane of alpha that is not of the picture', ({ bases }) =>
    webp(
      extended(ALPHA, 64, 48),
      riffChunk('ALPH', u8(1), lossless(16_383, 16_383).subarray(13)),
      bases['base.webp'].subarray(12),
    ),
  ),
  file(
    'truncated',
    'half',
    'the first half',
    ({ bases: { 'base.webp': base } }) => base.subarray(0, base.length / 2),
    REFUSED,
  ),
  file('truncated', 'head-only', 'RIFF and WEBP', () => join('RIFF', u24le(4), '\0WEBP'), REFUSED),
  file('count', 'pictures', '10,000 pictures in one file', () => webp(many(10_000, () => SMALL))),
];
