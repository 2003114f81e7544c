import { deflateSync } from 'node:zlib';
import test from 'ava';
import sharp from 'sharp';
import { animatedPng, frameCanvases, mayRevealBackground } from '../../../engine/raster/animated-png.ts';
import { u8, u16, u32 } from '../../hostile/write/numbers.ts';
import { chunk, END, type Head, head, PNG_SIGNATURE, png } from '../../hostile/write/png-chunks.ts';

const SIDE = 4;
const [RED, GREEN, BLUE] = ['f00f', '0f0f', '00ff'];
const [NONE, BACKGROUND, PREVIOUS] = [0, 1, 2];
const [SOURCE, OVER] = [0, 1];

type Part = {
  readonly color: string;
  readonly x?: number;
  readonly side?: number;
  readonly dispose?: number | undefined;
  readonly blend?: number | undefined;
  readonly delay?: readonly [number, number];
};

/** `f008` is red with the alpha 0x88. */
const rgbaOf = (color: string): readonly number[] => [...color].map((digit) => 17 * Number.parseInt(digit, 16));
const pixelsOf = (side: number, pixel: readonly number[]): Buffer =>
  deflateSync(Buffer.concat(Array(side).fill(Buffer.from([0, ...Array(side).fill(pixel).flat()]))));
const colored = ({ color, side = SIDE }: Part): Buffer => pixelsOf(side, rgbaOf(color));

const control = (sequence: number, part: Part): Buffer => {
  const { x = 0, side = SIDE, dispose = 0, blend = 0, delay = [1, 10] } = part;
  return chunk('fcTL', u32(sequence, side, side, x, x), u16(...delay), u8(dispose, blend));
};

/** The first part is the default image. */
const moving = (
  parts: readonly Part[],
  pixels: (part: Part) => Buffer = colored,
  more: Omit<Head, 'width' | 'height'> & { readonly chunks?: readonly Buffer[] } = {},
): readonly Buffer[] => [
  head({ width: SIDE, height: SIDE, ...more }),
  chunk('acTL', u32(parts.length, 0)),
  ...(more.chunks ?? []),
  ...parts.flatMap((part, n) =>
    n === 0
      ? [control(0, part), chunk('IDAT', pixels(part))]
      : [control(2 * n - 1, part), chunk('fdAT', u32(2 * n), pixels(part))],
  ),
];

const decode = (bytes: Buffer): Promise<Buffer> => sharp(bytes).toColourspace('srgb').ensureAlpha().raw().toBuffer();

const seen = async (bytes: Buffer): Promise<readonly string[]> => {
  const animation = animatedPng(bytes);
  if (animation === null) return ['still'];
  const canvases: string[] = [];
  for await (const canvas of frameCanvases(animation, decode))
    canvases.push(`${canvas.toString('hex', 0, 4)} ${canvas.toString('hex', canvas.length - 4)}`);
  return canvases;
};

const WHOLE = { color: RED };

test('each frame is composed onto the result of the frames before it', async (t) => {
  const corner = { color: GREEN, side: 2 };
  const pairOf = (first: string, last: string) =>
    `${Buffer.from(rgbaOf(first)).toString('hex')} ${Buffer.from(rgbaOf(last)).toString('hex')}`;
  const last = { color: BLUE, x: 3, side: 1 };
  const shown = (dispose: number | undefined) => seen(png(...moving([WHOLE, { ...corner, dispose }, last])));
  t.deepEqual(await shown(NONE), [pairOf(RED, RED), pairOf(GREEN, RED), pairOf(GREEN, BLUE)]);
  t.deepEqual(await shown(BACKGROUND), [pairOf(RED, RED), pairOf(GREEN, RED), pairOf('0000', BLUE)]);
  t.deepEqual(await shown(PREVIOUS), [pairOf(RED, RED), pairOf(GREEN, RED), pairOf(RED, BLUE)]);
  const first = await seen(png(...moving([{ ...WHOLE, dispose: PREVIOUS }, last])));
  t.deepEqual(first, [pairOf(RED, RED), pairOf('0000', BLUE)], 'nothing is before the first one');
});

test('a frame replaces the pixels below it or blends over them', async (t) => {
  const blended = (below: string, color: string, blend: number | undefined) =>
    seen(png(...moving([{ color: below }, { color, blend }])));
  t.is((await blended(RED, '00f8', SOURCE))[1]?.slice(0, 8), '0000ff88');
  t.is((await blended(RED, '00f8', OVER))[1]?.slice(0, 8), '770088ff');
  t.is((await blended(RED, '0000', OVER))[1]?.slice(0, 8), 'ff0000ff');
  t.is((await blended('0000', '00f8', OVER))[1]?.slice(0, 8), '0000ff88');
  t.is((await blended('f008', '00f8', OVER))[1]?.slice(0, 8), '5100aec7');
});

test('16-bit pixels and palettes with transparent colours are read', async (t) => {
  const deep = moving(
    [{ color: RED }, { color: BLUE }],
    ({ color }) =>
      pixelsOf(
        SIDE,
        rgbaOf(color).flatMap((value) => [value, value]),
      ),
    { depth: 16 },
  );
  t.deepEqual(await seen(png(...deep)), ['ff0000ff ff0000ff', '0000ffff 0000ffff']);
  const chunks = [chunk('PLTE', u8(255, 0, 0, 0, 0, 255)), chunk('tRNS', u8(255, 51))];
  const indexed = moving(
    [{ color: '0' }, { color: '1', side: 2, x: 2 }],
    ({ color, side = SIDE }) => pixelsOf(side, [Number(color)]),
    { color: 3, chunks },
  );
  t.deepEqual(await seen(png(...indexed)), ['ff0000ff ff0000ff', 'ff0000ff 0000ff33']);
});

test('delays are fractions of a second, in hundredths by default', (t) => {
  const delays = [
    [1, 10],
    [50, 0],
    [1, 30],
    [0, 5],
  ] as const;
  const animation = animatedPng(png(...moving(delays.map((delay) => ({ color: RED, delay })))));
  t.deepEqual(
    animation?.frames.map(({ delay_ms }) => Math.round(delay_ms)),
    [100, 500, 33, 0],
  );
});

test('a default image without a frame control is not part of the animation', async (t) => {
  const bytes = png(
    head({ width: SIDE, height: SIDE }),
    chunk('acTL', u32(2, 0)),
    chunk('IDAT', colored({ color: GREEN })),
    ...[{ color: RED }, { color: BLUE }].flatMap((part, n) => [
      control(2 * n, part),
      chunk('fdAT', u32(2 * n + 1), colored(part)),
    ]),
  );
  t.deepEqual(await seen(bytes), ['ff0000ff ff0000ff', '0000ffff 0000ffff']);
});

test('pixels that no frame drew or that were cleared show the background', (t) => {
  const shows = (...parts: readonly Part[]) => {
    const animation = animatedPng(png(...moving(parts)));
    return animation === null ? null : mayRevealBackground(animation);
  };
  t.false(shows(WHOLE, { color: BLUE, side: 2, dispose: PREVIOUS }));
  t.true(shows(WHOLE, { color: BLUE, side: 2, dispose: BACKGROUND }));
  t.true(shows({ ...WHOLE, dispose: PREVIOUS }, WHOLE));
});

test('a PNG with a damaged, truncated or too large animation is a still picture', async (t) => {
  const valid = moving([WHOLE, { color: BLUE }]);
  const changed = (at: number, ...chunks: readonly Buffer[]) =>
    png(...valid.slice(0, at), ...chunks, ...valid.slice(at + 1));
  const whole = png(...valid);
  t.is((await seen(whole)).length, 2);
  const unchecked = Buffer.from(whole);
  unchecked.writeUInt8(1, whole.length - END.length - 1);
  const cases = {
    'no animation': png(head({ width: SIDE, height: SIDE }), chunk('IDAT', colored(WHOLE))),
    'no PNG': Buffer.from('GIF89a'),
    'fewer frames than it says': changed(1, chunk('acTL', u32(3, 0))),
    'more frames than it says': changed(1, chunk('acTL', u32(1, 0))),
    '2^32 frames': changed(1, chunk('acTL', u32(0xffffffff, 0))),
    'a wrong sequence number': changed(4, control(2, WHOLE)),
    'a wrong sequence number of pixels': changed(5, chunk('fdAT', u32(1), colored(WHOLE))),
    'a frame without pixels': changed(5),
    'pixels shorter than a number': changed(5, chunk('fdAT', u8(0))),
    'a frame beyond the canvas': changed(4, control(1, { color: BLUE, x: 1 })),
    'a frame of no size': changed(4, control(1, { color: BLUE, side: 0 })),
    'a disposal that does not exist': changed(4, control(1, { color: BLUE, dispose: 3 })),
    'a blending that does not exist': changed(4, control(1, { color: BLUE, blend: 2 })),
    'a first frame smaller than the still picture': changed(2, control(0, { color: RED, side: 2 })),
    'a second still picture': png(...valid, chunk('IDAT', colored(WHOLE))),
    'a wrong checksum': unchecked,
    'a canvas of 100 million pixels': changed(0, head({ width: 10_000, height: 10_000 })),
    'a chunk of 4 GiB': Buffer.concat([PNG_SIGNATURE, ...valid, u32(0xffffffff), Buffer.from('fdATx')]),
  };
  for (const [name, bytes] of Object.entries(cases)) t.deepEqual(await seen(bytes), ['still'], name);
  for (let end = 0; end < whole.length; end += 1) t.is(animatedPng(whole.subarray(0, end)), null, `${end} bytes`);
});
