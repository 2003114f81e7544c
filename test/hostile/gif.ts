import { filesOf, type HostileFile, REFUSED } from './hostile-file.ts';
import { control, END, frame, gif, loop, screen } from './write/gif-blocks.ts';
import { join, repeated, times, u8 } from './write/numbers.ts';

const file = filesOf('gif', 'image', '.gif');

/** LZW that resets its table repeatedly and never draws. */
const CLEARS = join(u8(2), repeated(join(u8(255), Buffer.alloc(255, 0x24)), 4000), u8(0));

export const GIF: readonly HostileFile[] = [
  file('size', 'square-of-65535', 'a screen of 65,535 pixels on a side', () => gif(65_535, 65_535, frame(1, 1))),
  file('size', 'frame-of-65535', 'a small screen with a frame of 65,535 pixels on a side', () =>
    gif(4, 4, frame(65_535, 65_535)),
  ),
  file('size', 'frame-far-outside', 'a frame of 1,000 pixels at 60,000', () =>
    gif(10, 10, frame(1000, 1000, 60_000, 60_000)),
  ),
  file('size', 'screen-just-within-the-limit', '10,000 by 10,000 pixels, one frame', () =>
    gif(10_000, 10_000, frame(1, 1)),
  ),
  file('size', 'no-screen', '0 by 0 pixels', () => gif(0, 0, frame(0, 0))),
  file('count', 'frames-of-one-pixel', '80,000 frames', () =>
    gif(2, 2, loop(0), repeated(join(control(1), frame(1, 1)), 80_000)),
  ),
  file('time', 'frames-of-a-large-screen', '60,000 frames, each over 100 million pixels', () =>
    gif(10_000, 10_000, loop(0), repeated(join(control(2), frame(1, 1)), 60_000)),
  ),
  file('time', 'frames-that-restore', '60,000 frames of 6,000 by 6,000 pixels, each undoing the one before', () =>
    gif(6000, 6000, repeated(join(control(2, 3), frame(6000, 6000)), 60_000)),
  ),
  file('time', 'hundred-large-frames', '100 frames of 5,000 by 5,000 pixels', () =>
    gif(5000, 5000, repeated(join(control(5, 2), frame(5000, 5000)), 100)),
  ),
  file('time', 'frames-of-no-time', '50,000 frames without a delay', () =>
    gif(100, 100, repeated(join(control(0), frame(1, 1)), 50_000)),
  ),
  file('time', 'frames-of-ten-minutes', '80,000 frames of 655 seconds', () =>
    gif(16, 16, repeated(join(control(65_535), frame(1, 1)), 80_000)),
  ),
  file('count', 'extensions', '500,000 empty comments', () =>
    gif(4, 4, repeated(u8(0x21, 0xfe, 0), 500_000), frame(4, 4)),
  ),
  file('count', 'sub-blocks', 'a frame in a million blocks of one byte', () =>
    gif(3000, 3000, frame(3000, 3000, 0, 0, join(u8(2), repeated(u8(1, 0), 900_000), u8(0)))),
  ),
  file('time', 'table-set-back', 'LZW of clear codes only', () => gif(3000, 3000, frame(3000, 3000, 0, 0, CLEARS))),
  file('time', 'tables-set-back-many-times', '40 such frames on a large screen', () =>
    gif(9000, 9000, ...times(2, () => frame(9000, 9000, 0, 0, CLEARS.subarray(0, 900_000)))),
  ),
  file('lie', 'code-size-of-255', 'LZW codes of 255 bits', () => gif(4, 4, frame(4, 4, 0, 0, u8(255, 3, 1, 2, 3, 0)))),
  file('lie', 'no-colours', 'no table of colours at all', () =>
    join('GIF89a', u8(4, 0, 4, 0, 0, 9, 0), frame(4, 4), END),
  ),
  file('lie', 'no-end', 'frames until the file ends', () => join(screen(4, 4), repeated(frame(4, 4), 1000))),
  file('lie', 'loops', 'a loop of no length', () =>
    gif(4, 4, ...times(10_000, (n) => loop(n)), frame(4, 4), frame(4, 4)),
  ),
  file('truncated', 'head-only', 'a screen without a frame', () => screen(9000, 9000), REFUSED),
  file('truncated', 'six-bytes', 'GIF89a', () => 'GIF89a', REFUSED),
];
