import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { renderFrame } from '../../../engine/render-frame.ts';
import { finalOf } from './_composition.ts';
import { colorAround, ffmpeg, folderOf, framesOf, pixelAt } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const SIDE = 64;
const BACK = [0x20, 0x40, 0x60];
const COLORS = { R: [0xe0, 0x10, 0x20], G: [0x10, 0xc0, 0x30], B: [0x10, 0x20, 0xd0], W: [0xf0, 0xf0, 0xf0] } as const;

/** Four quarters: red, green, blue and white. */
const writeQuarters = async (folder: string) => {
  const pixels = Buffer.alloc(SIDE * SIDE * 3);
  for (let y = 0; y < SIDE; y += 1)
    for (let x = 0; x < SIDE; x += 1) {
      const name = (y < SIDE / 2 ? 'RG' : 'BW')[x < SIDE / 2 ? 0 : 1] as keyof typeof COLORS;
      pixels.set(COLORS[name], (y * SIDE + x) * 3);
    }
  const [image, video, clear] = ['image.png', 'video.mp4', 'clear.mov'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png()
    .toFile(image);
  const toVideo = 'loop=-1:1,scale=out_color_matrix=bt709:flags=accurate_rnd+full_chroma_int,format=yuv444p';
  const tags = ['-colorspace', 'bt709', '-color_range', 'tv'];
  await ffmpeg('-i', image, '-vf', toVideo, '-t', '0.5', '-r', '30', '-c:v', 'libx264', '-qp', '0', ...tags, video);
  const halved = "format=argb,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='255*gte(X,32)',loop=-1:1";
  await ffmpeg('-i', image, '-vf', halved, '-t', '0.5', '-r', '30', '-c:v', 'qtrle', clear);
  return { image, video, clear };
};

/** The colours of a cell's four quarters, and those just inside its corners. A dot is the background. */
type Cell = { readonly parts: object; readonly quarters: string; readonly corners: string };

const CELLS: readonly Cell[] = [
  { parts: { crop: { left: 0.5 }, fit: 'fill' }, quarters: 'GGWW', corners: 'GGWW' },
  { parts: { flip: 'horizontal' }, quarters: 'GRWB', corners: 'GRWB' },
  { parts: { flip: 'vertical' }, quarters: 'BWRG', corners: 'BWRG' },
  { parts: { flip: 'both', crop: { bottom: 0.5 }, fit: 'fill' }, quarters: 'GRGR', corners: 'GRGR' },
  { parts: { border_radius: 32 }, quarters: 'RGBW', corners: '....' },
  { parts: { border_radius: 12, rotation: 90, flip: 'horizontal' }, quarters: 'WGBR', corners: '....' },
  { parts: { border_radius: 20, opacity: 1, keyframes: 'glides' }, quarters: 'RGBW', corners: '....' },
  { parts: { border_radius: 4000, crop: { top: 0.5, right: 0.5 } }, quarters: 'BBBB', corners: '....' },
];
const WIDTH = SIDE * (CELLS.length + 1);
const HEIGHT = 2 * SIDE;

const layersOf = (type: 'image' | 'video', y: number) =>
  CELLS.map(({ parts }, n) => {
    const x = n * SIDE;
    const position = [
      { time: 0, x: x - 3, y },
      { time: 0.1, x, y },
    ];
    const keyframes = 'keyframes' in parts ? { keyframes: { position } } : {};
    return { id: `${type}${n}`, type, asset: type, x, y, width: SIDE, height: SIDE, ...parts, ...keyframes };
  });

/** Levels by which subsampled chroma changes the pixels near an edge. */
const NEAR_EDGE = 40;

const checkColor = (t: ExecutionContext, name: string, found: readonly number[], what: string, within = 8) => {
  const wanted = name === '.' ? BACK : COLORS[name as keyof typeof COLORS];
  t.true(
    found.length === 3 && found.every((level, n) => Math.abs(level - (wanted[n] ?? 0)) <= within),
    `${what}: ${found}, not ${wanted}`,
  );
};

test('images and videos are cropped, flipped and rounded alike, in films and stills', async (t) => {
  const folder = await folderOf(t);
  const files = await writeQuarters(folder);
  const round = { x: WIDTH - SIDE, width: SIDE, height: SIDE, border_radius: 32 };
  const layers = [
    ...layersOf('image', 0),
    ...layersOf('video', SIDE),
    { id: 'clear', type: 'video', asset: 'clear', ...round, y: 0 },
    { id: 'contained', type: 'video', asset: 'video', ...round, y: SIDE, fit: 'contain', crop: { bottom: 0.5 } },
  ];
  const assets = [
    { id: 'image', kind: 'image' as const },
    ...(['video', 'clear'] as const).map((id) => ({ id, kind: 'video' as const })),
  ];
  const final = finalOf({ width: WIDTH, height: HEIGHT, duration: 0.2, background: '#204060', layers }, assets);
  const options = optionsOf(final, join(folder, 'out'), files);
  const { master } = await rendered({ ...options, lossless: true });
  const [frame = Buffer.alloc(0)] = await framesOf(master, WIDTH, HEIGHT, [5]);
  for (const [row, type] of ['image', 'video'].entries())
    for (const [n, { quarters, corners }] of CELLS.entries())
      for (const [at, [x, y]] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ].entries()) {
        const [left, top, what] = [n * SIDE, row * SIDE, `${type} ${n}, quarter ${at}`];
        const middle = colorAround(frame, WIDTH, left + 16 + 32 * (x ?? 0), top + 16 + 32 * (y ?? 0), 2);
        checkColor(t, quarters[at] ?? '', middle, what);
        const corner = pixelAt(frame, WIDTH, left + 1 + 61 * (x ?? 0), top + 1 + 61 * (y ?? 0));
        checkColor(t, corners[at] ?? '', corner, `corner of ${what}`, NEAR_EDGE);
      }
  const last = WIDTH - SIDE;
  for (const [name, x, y] of [
    ['.', 16, 16],
    ['G', 48, 16],
    ['W', 48, 48],
    ['.', 61, 3],
    ['.', 32, 64 + 14],
    ['.', 2, 64 + 18],
    ['R', 16, 64 + 32],
    ['G', 61, 64 + 32],
  ] as const)
    checkColor(t, name, pixelAt(frame, WIDTH, last + x, y), `${x},${y} of the last column`, NEAR_EDGE);

  const areas = [0, SIDE].map((top) => {
    let inked = 0;
    for (let y = top; y < top + SIDE; y += 1)
      for (let x = 4 * SIDE; x < 5 * SIDE; x += 1) {
        const off = pixelAt(frame, WIDTH, x, y).reduce((sum, level, n) => sum + Math.abs(level - (BACK[n] ?? 0)), 0);
        inked += off > 60 ? 1 : 0;
      }
    return inked;
  });
  const circle = Math.PI * 32 ** 2;
  for (const area of areas) t.true(Math.abs(area / circle - 1) < 0.06, `${area} pixels, not ${circle}`);

  const work_dir = join(folder, 'still');
  await mkdir(work_dir);
  const still = await renderFrame({ ...options, work_dir }, 5 / 30);
  if (E.isLeft(still)) return t.fail(JSON.stringify(still.left));
  const pixels = await sharp(still.right.bytes).removeAlpha().raw().toBuffer();
  t.true(
    pixels.every((level, at) => Math.abs(level - (frame[at] ?? 999)) <= 3),
    'the still is the frame',
  );
});
