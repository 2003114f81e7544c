import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import sharp from 'sharp';
import { cases } from '../../helpers/runs.ts';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const layers = [
  { id: 'r', type: 'shape', color: '#E30613', start: 0, duration: 1 },
  { id: 'b', type: 'shape', color: '#0066CC', start: 1 },
];
const preview = { height: 90, start: 0.5, duration: 1, fps: 10 };

for (const codec of cases(['h264', 'h265', 'vp9', 'av1'], (one) => one === 'h264' || one === 'av1'))
  test(`a film in ${codec} has a preview of its period, in the same colours`, async (t) => {
    const folder = await folderOf(t);
    const final = { ...finalOf({ duration: 2, layers }), preview };
    const [first] = final.variants;
    if (first === undefined) return t.fail();
    const variants = [{ ...first, codec: codec as typeof first.codec }];
    const made = await rendered(optionsOf({ ...final, variants }, folder));
    t.deepEqual((await readdir(folder)).sort(), ['master.mp4', 'poster.jpg', 'preview.webp']);
    t.like(made.preview, { width: 160, height: 90, duration_ms: 1000, content_type: 'image/webp' });

    const file = made.preview?.file ?? '';
    const { pages, delay, loop } = await sharp(file, { animated: true }).metadata();
    t.deepEqual([loop, delay?.reduce((sum, ms) => sum + ms, 0)], [0, 1000]);
    t.true((pages ?? 0) >= 2 && (pages ?? 0) <= 10);
    for (const [page, wanted] of [
      [0, [0xe3, 0x06, 0x13]],
      [(pages ?? 1) - 1, [0x00, 0x66, 0xcc]],
    ] as const) {
      const pixels = await sharp(file, { page }).removeAlpha().raw().toBuffer();
      const at = 3 * (45 * 160 + 80);
      const found = [...pixels.subarray(at, at + 3)];
      t.true(
        found.every((channel, index) => Math.abs(channel - (wanted[index] ?? 0)) <= 6),
        `page ${page}: ${found}`,
      );
    }
  });

test('a preview is small whatever the film shows', async (t) => {
  const folder = await folderOf(t);
  const clip = join(folder, 'clip.mp4');
  // At the first quality, the preview of this film is larger than 4 MiB.
  const noise = 'color=gray:s=320x180:r=30:d=4,noise=c0_strength=100:c0_flags=t+u,eq=contrast=20';
  await ffmpeg('-f', 'lavfi', '-i', noise, '-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '18', clip);
  const final = finalOf({ duration: 4, layers: [{ id: 'v', type: 'video', asset: 'clip' }] }, [
    { id: 'clip', kind: 'video' },
  ]);
  const wanted = { height: 480, start: 3600, duration: 10, fps: 30 };
  const made = await rendered(optionsOf({ ...final, preview: wanted }, join(folder, 'out'), { clip }));
  t.like(made.preview, { width: 320, height: 180, duration_ms: 4000 });
  t.true((await stat(made.preview?.file ?? '')).size <= 4 * 1024 * 1024);
});
