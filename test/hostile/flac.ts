import { filesOf, type HostileFile, REFUSED } from './hostile-file.ts';
import { bits } from './write/bits.ts';
import { deflatedZeros } from './write/deflate.ts';
import { join, many, type Part, repeated, u8, u24, u32, u32le, u64 } from './write/numbers.ts';
import { chunk, head, png } from './write/png-chunks.ts';

const file = filesOf('flac', 'audio', '.flac');

const LAST = 0x80;
const block = (type: number, ...parts: readonly Part[]): Buffer => {
  const body = join(...parts);
  return join(u8(type), u24(body.length), body);
};

type Stream = {
  readonly rate?: number;
  readonly channels?: number;
  readonly samples?: number | bigint;
  readonly largest?: number;
};
const streamInfo = ({ rate = 44_100, channels = 1, samples = 0, largest = 65_535 }: Stream = {}, last = 0): Buffer =>
  block(
    last,
    bits([16, 16], [largest, 16], [0, 24], [0, 24], [rate, 20], [channels - 1, 3], [15, 5], [samples, 36]),
    Buffer.alloc(16),
  );

const crc = (bytes: Buffer, polynomial: number, size: 8 | 16): number => {
  const mask = 2 ** size - 1;
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << (size - 8);
    for (let bit = 0; bit < 8; bit += 1)
      sum = sum & (1 << (size - 1)) ? ((sum << 1) ^ polynomial) & mask : (sum << 1) & mask;
  }
  return sum;
};

/** 65,535 samples of one value for each channel, in about twenty bytes. */
const frame = (channels: number): Buffer => {
  const start = join(u8(0xff, 0xf8, 0x70, ((channels - 1) << 4) | 0x08, 0), u8(0xff, 0xfe));
  const whole = join(start, u8(crc(start, 0x07, 8)), repeated(u8(0, 0x12, 0x34), channels));
  const sum = crc(whole, 0x8005, 16);
  return join(whole, u8(sum >> 8, sum & 255));
};

const flac = (...blocks: readonly Part[]): Buffer => join('fLaC', ...blocks);
const SOUND = repeated(frame(1), 3);

const picture = (side: number, says = 64): Buffer => {
  const data = png(head({ width: side, height: side }), chunk('IDAT', deflatedZeros(side * (side * 4 + 1))));
  return block(6, u32(3, 9), 'image/png', u32(0, says, says, 24, 0, data.length), data);
};

export const FLAC: readonly HostileFile[] = [
  file('time', 'hours-of-one-value', '100,000 frames of 65,535 samples and 8 channels', () =>
    flac(streamInfo({ rate: 655_350, channels: 8 }, LAST), repeated(frame(8), 55_000)),
  ),
  file('time', 'a-day-of-silence', '50,000 frames at 44.1 kHz: 20 hours in 700 KB', () =>
    flac(streamInfo({}, LAST), repeated(frame(1), 50_000)),
  ),
  file('time', 'years', 'a rate of 1 Hz', () => flac(streamInfo({ rate: 1 }, LAST), repeated(frame(1), 1000)), REFUSED),
  file('lie', 'samples-of-2-36', 'says to have 2^36 samples', () =>
    flac(streamInfo({ samples: 2n ** 36n - 1n }, LAST), SOUND),
  ),
  file('lie', 'rate-of-0', 'a rate of 0', () => flac(streamInfo({ rate: 0 }, LAST), SOUND)),
  file('lie', 'rate-of-a-megahertz', 'the highest rate', () =>
    flac(streamInfo({ rate: 1_048_575, channels: 8 }, LAST), SOUND),
  ),
  file(
    'lie',
    'block-of-16-mebibytes',
    'a block that is longer than the file',
    () => flac(streamInfo(), u8(4), u24(0xffffff), SOUND),
    REFUSED,
  ),
  file('count', 'blocks', '300,000 blocks of padding', () =>
    flac(streamInfo(), repeated(block(1), 300_000), block(1 | LAST), SOUND),
  ),
  file('count', 'blocks-of-a-reserved-kind', '300,000 blocks of an unknown kind', () =>
    flac(streamInfo(), repeated(block(100), 300_000), block(1 | LAST), SOUND),
  ),
  file('count', 'heads', '40,000 heads', () => flac(repeated(streamInfo(), 40_000), streamInfo({}, LAST), SOUND)),
  file('count', 'seek-points', '100,000 places that lie', () =>
    flac(
      streamInfo(),
      block(
        3,
        many(100_000, (n) => join(u64(100_000 - n, 2n ** 62n), u8(0, 16))),
      ),
      block(1 | LAST),
      SOUND,
    ),
  ),
  file('count', 'cue-sheet', 'a sheet of 100 tracks of 255 indexes', () =>
    flac(
      streamInfo(),
      block(
        5,
        Buffer.alloc(395),
        u8(100),
        many(100, (n) => join(u64(-1), u8(n + 1), Buffer.alloc(26, 255), u8(255), Buffer.alloc(12 * 255, 255))),
      ),
      block(1 | LAST),
      SOUND,
    ),
  ),
  file('count', 'comments', 'says to have 2^32-1 comments', () =>
    flac(streamInfo(), block(4, u32le(0, 0xffffffff)), block(1 | LAST), SOUND),
  ),
  file('lie', 'comment-of-4-gb', 'a comment of 4 GB', () =>
    flac(streamInfo(), block(4, u32le(0xffffffff)), block(1 | LAST), SOUND),
  ),
  file('size', 'picture', 'a picture of 16,000 pixels on a side', () =>
    flac(streamInfo(), picture(16_000), block(1 | LAST), SOUND),
  ),
  file('size', 'pictures', '12 pictures of 5,000 pixels on a side', () =>
    flac(
      streamInfo(),
      many(12, () => picture(5000)),
      block(1 | LAST),
      SOUND,
    ),
  ),
  file('lie', 'picture-of-4-gb', 'a picture that says to have 4 GB', () =>
    flac(
      streamInfo(),
      block(6, u32(3, 9), 'image/png', u32(0, 64, 48, 24, 0, 0xffffffff), 'x'),
      block(1 | LAST),
      SOUND,
    ),
  ),
  file('lie', 'description-of-4-gb', 'a picture with a name of 4 GB', () =>
    flac(streamInfo(), block(6, u32(3, 0xffffffff)), block(1 | LAST), SOUND),
  ),
  file('lie', 'frames-of-ones', 'a megabyte in which frames seem to begin everywhere', () =>
    flac(streamInfo({}, LAST), repeated(u8(0xff, 0xf8), 500_000)),
  ),
  file('lie', 'frames-that-change', 'frames that each have other channels', () =>
    flac(
      streamInfo({}, LAST),
      many(2000, (n) => frame((n % 8) + 1)),
    ),
  ),
  file('lie', 'residuals', 'codes of residuals that never end', () =>
    flac(streamInfo({}, LAST), u8(0xff, 0xf8, 0xc9, 0x08, 0, 0, 0x10), Buffer.alloc(500_000)),
  ),
  file('reach', 'picture-by-url', 'a picture that is a URL', ({ canary_file, canary_url }) =>
    flac(
      streamInfo(),
      block(6, u32(3, 3), '-->', u32(0, 0, 0, 0, 0, canary_url.length), canary_url),
      block(4, u32le(0, 1, canary_file.length + 2), `X=${canary_file}`),
      block(1 | LAST),
      SOUND,
    ),
  ),
  file('truncated', 'half', 'the first half', ({ bases: { 'base.flac': base } }) => base.subarray(0, base.length / 2)),
  file('truncated', 'head-only', 'a head without sound', () => flac(streamInfo({ samples: 44_100 }, LAST)), REFUSED),
  file('truncated', 'four-bytes', 'fLaC', () => 'fLaC', REFUSED),
];
