import test from 'ava';
import { imageColors } from '../../../engine/raster/image-colors.ts';

const box = (type: string, ...parts: readonly (Buffer | number)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
};
const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const nclx = (primaries: number, transfer: number): Buffer =>
  box('colr', ascii('nclx'), 0, primaries, 0, transfer, 0, 0, 128);

const avif = (properties: readonly Buffer[], of_first: readonly number[], of_second: readonly number[]): Buffer =>
  Buffer.concat([
    box('ftyp', ascii('avif')),
    box(
      'meta',
      Buffer.alloc(4),
      box('pitm', Buffer.alloc(4), 0, 2),
      box(
        'iprp',
        box('ipco', ...properties),
        box(
          'ipma',
          Buffer.alloc(4),
          ...[0, 0, 0, 2],
          0,
          1,
          of_first.length,
          ...of_first,
          0,
          2,
          of_second.length,
          ...of_second,
        ),
      ),
    ),
  ]);

const P3 = { primaries: 'p3', transfer: 'srgb' } as const;

test('an AVIF has the colours of its primary item unless that has a profile', (t) => {
  const two = [nclx(9, 16), box('pixi'), nclx(12, 13)];
  t.deepEqual(imageColors(avif(two, [1], [2, 0x83]), 'heif'), P3);
  t.deepEqual(imageColors(avif(two, [3], [2, 1]), 'heif'), { primaries: 'bt2020', transfer: 'pq' });
  t.is(imageColors(avif([nclx(12, 13), box('colr', ascii('prof'))], [], [1, 2]), 'heif'), null);
  t.is(imageColors(avif([nclx(1, 13)], [], [1]), 'heif'), null);
  t.is(imageColors(avif(two, [1], []), 'heif'), null);
  t.is(imageColors(avif(two, [], [127, 0]), 'heif'), null);
});

test('a truncated or inconsistent file declares no colours or its own', (t) => {
  const whole = avif([nclx(12, 13)], [], [1]);
  for (let length = 0; length < whole.length; length += 1) t.is(imageColors(whole.subarray(0, length), 'heif'), null);
  for (let at = 0; at < whole.length; at += 1)
    for (const value of [0, 1, 127, 255]) {
      const lying = Buffer.from(whole);
      lying[at] = value;
      t.notThrows(() => imageColors(lying, 'heif'), `${at}: ${value}`);
    }
  const png = Buffer.concat([Buffer.alloc(8), Buffer.from([255, 255, 255, 255]), ascii('cICP')]);
  for (let length = 0; length <= png.length; length += 1) t.is(imageColors(png.subarray(0, length), 'png'), null);
});
