import test from 'ava';
import sharp from 'sharp';
import { withClearBackground } from '../../../engine/raster/gif-background.ts';

const SIDE = 4;
type Part = { readonly x: number; readonly side: number; readonly color: number; readonly disposal: number };

/** Codes of three bits. A clear code before each pixel keeps the codes from getting longer. */
const pixelsOf = ({ side, color }: Part): Buffer => {
  const codes = [...Array.from({ length: side * side }, () => [4, color]).flat(), 5];
  const bits = codes.flatMap((code) => [code & 1, (code >> 1) & 1, code >> 2]);
  const bytes = Array.from({ length: Math.ceil(bits.length / 8) }, (_, at) =>
    bits.slice(8 * at, 8 * at + 8).reduce((byte, bit, n) => byte | (bit << n), 0),
  );
  return Buffer.from([2, bytes.length, ...bytes, 0]);
};

const gifOf = (parts: readonly Part[]): Buffer =>
  Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    Buffer.from([SIDE, 0, SIDE, 0, 0x81, 0, 0, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]),
    ...parts.flatMap((part) => [
      Buffer.from([0x21, 0xf9, 4, part.disposal << 2, 20, 0, 0, 0]),
      Buffer.from([0x2c, part.x, 0, part.x, 0, part.side, 0, part.side, 0, 0]),
      pixelsOf(part),
    ]),
    Buffer.from([0x3b]),
  ]);

const alphaOf = async (gif: Buffer): Promise<readonly (readonly (number | undefined)[])[]> => {
  const pixels = await sharp(withClearBackground(gif), { animated: true }).ensureAlpha().raw().toBuffer();
  const page = SIDE * SIDE * 4;
  return Array.from({ length: pixels.length / page }, (_, n) => [pixels[n * page + 3], pixels[n * page + page - 1]]);
};

const [WHOLE, PART] = [
  { x: 0, side: 4, color: 1, disposal: 1 },
  { x: 2, side: 2, color: 2, disposal: 1 },
];

test('pixels that no GIF frame draws, or that are disposed of, are clear', async (t) => {
  t.deepEqual(await alphaOf(gifOf([PART, WHOLE])), [
    [0, 255],
    [255, 255],
  ]);
  t.deepEqual(await alphaOf(gifOf([WHOLE, { ...PART, disposal: 2 }, { ...PART, x: 0 }])), [
    [255, 255],
    [255, 255],
    [255, 0],
  ]);
});

test('a missing trailer, or extra blocks before it, change nothing', async (t) => {
  const whole = gifOf([WHOLE, { ...PART, disposal: 2 }, { ...PART, x: 0 }]);
  const open = whole.subarray(0, -1);
  for (const gif of [
    open,
    Buffer.concat([open, Buffer.from([0, 0, 0x3b])]),
    Buffer.concat([whole, Buffer.from('more')]),
  ])
    t.deepEqual(await alphaOf(gif), await alphaOf(whole));
});

test('a GIF whose frames cover it, or that is truncated, stays unchanged', (t) => {
  for (const gif of [
    gifOf([WHOLE, PART]),
    gifOf([PART, WHOLE]).subarray(0, 40),
    Buffer.from('GIF'),
    Buffer.from('PNG'),
  ])
    t.is(withClearBackground(gif), gif);
});
