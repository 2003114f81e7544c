import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { draftOf } from '../../../domain/composition/draft.ts';
import type { FinalComposition } from '../../../domain/composition/final-composition.ts';
import { renderFrame } from '../../../engine/render-frame.ts';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf } from './_measuring.ts';
import { optionsOf } from './_rendering.ts';

const LINES = 'A headline of a few words that takes three lines of its box, so that it shows where they break';

/** One layer of each kind, some moving, rotated or at odd places. */
const WHOLE = finalOf(
  {
    ...{ width: 1920, height: 1080, duration: 2 },
    layers: [
      { id: 'v', type: 'video', asset: 'clip' },
      {
        ...{ id: 'p', type: 'video', asset: 'clip', x: 1301, y: 67, width: 500, height: 281 },
        keyframes: {
          position: [
            { time: 0, x: 1301, y: 67 },
            { time: 2, x: 1001, y: 367 },
          ],
        },
      },
      { id: 's', type: 'shape', color: '#14132E', opacity: 0.85, x: 90, y: 600, width: 1200, height: 390, radius: 40 },
      {
        ...{ id: 't', type: 'text', text: LINES, x: 90, y: 600, width: 1200, height: 390, padding: 45, font_size: 72 },
        ...{ outline_width: 6, outline_color: '#000000', shadow_opacity: 0.5, shadow_x: 12, shadow_y: 12 },
      },
      {
        id: 'e',
        type: 'shape',
        shape: 'ellipse',
        color: '#E30613',
        x: 1500,
        y: 700,
        width: 300,
        height: 150,
        rotation: 30,
      },
    ],
  },
  [{ id: 'clip', kind: 'video' }],
);

test('a draft shows what the film shows, in a ninth of the pixels', async (t) => {
  const folder = await folderOf(t);
  const clip = join(folder, 'clip.mp4');
  await ffmpeg(
    '-f',
    'lavfi',
    '-i',
    'gradients=s=1920x1080:r=10:d=1.2:seed=7',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    clip,
  );
  const work_dir = join(folder, 'frames');
  await mkdir(work_dir);
  const frameOf = async (final: FinalComposition): Promise<Buffer> => {
    const frame = await renderFrame(optionsOf(final, work_dir, { clip }), 1);
    if (E.isLeft(frame)) throw new Error(JSON.stringify(frame.left));
    return frame.right.bytes;
  };
  const draft = await frameOf(draftOf(WHOLE));
  const { width, height } = await sharp(draft).metadata();
  t.deepEqual([width, height], [640, 360]);
  // Letters are on whole pixels, so they can be two pixels off in the draft: compare reduced pictures.
  const raw = (picture: Buffer) => sharp(picture).resize(160, 90).removeAlpha().raw().toBuffer();
  const [shown, scaled] = [await raw(draft), await raw(await frameOf(WHOLE))];
  const apart = shown.map((value, index) => Math.abs(value - (scaled[index] ?? 999)));
  const mean = apart.reduce((sum, value) => sum + value, 0) / apart.length;
  t.true(mean < 2, `differs by ${mean.toFixed(2)} levels`);
  t.true(Math.max(...apart) < 100, `at most by ${Math.max(...apart)}`);
});
