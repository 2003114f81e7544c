import { join } from 'node:path';
import test from 'ava';
import { cases } from '../../../helpers/runs.ts';
import { finalOf } from '../_composition.ts';
import { ffmpeg, folderOf, hashesOf } from '../_measuring.ts';
import { optionsOf, rendered } from '../_rendering.ts';
import { goldenOf, sameWhateverTheCuts } from './_golden.ts';
import { numberedClip } from './_greys.ts';

/** All features together, in colours, with edges and texts. */
const document = (fps: string) =>
  finalOf(
    {
      fps,
      ...{ width: 160, height: 90, duration: 1.5, background: '#203040' },
      layers: [
        { id: 'v', type: 'video', asset: 'clip', fade_in: 0.3, duration: 0.8 },
        {
          id: 'w',
          type: 'video',
          asset: 'turned',
          start: 0.6,
          transition: { type: 'cross_fade', from: 'v', duration: 0.3 },
        },
        {
          id: 'l',
          type: 'video',
          asset: 'turned',
          x: 11,
          y: 7,
          width: 41,
          height: 33,
          loop: true,
          trim_end: 0.37,
          speed: 1.3,
        },
        {
          id: 't',
          type: 'text',
          text: 'Fading',
          font_size: 24,
          color: '#E30613',
          start: 0.2,
          duration: 1,
          fade_out: 0.4,
        },
        {
          ...{ id: 'm', type: 'shape', shape: 'ellipse', color: '#00FF80', width: 30, height: 20, rotation: 20 },
          keyframes: {
            position: [
              { time: 0.2, x: 0, y: 60, easing: 'ease_in_out' },
              { time: 0.9, x: 120, y: 10 },
            ],
            scale: [
              { time: 0.4, value: 1, easing: 'ease_out' },
              { time: 1.1, value: 2 },
            ],
          },
        },
        {
          id: 's',
          type: 'shape',
          color: '#FFFFFF',
          x: 100,
          width: 60,
          height: 20,
          start: 1,
          transition: { type: 'slide', from: 't', duration: 0.2 },
        },
        {
          ...{ id: 'g', type: 'group', x: 31, y: 13, width: 90, height: 50, start: 0.3, duration: 1, fade_in: 0.3 },
          opacity: 0.8,
          keyframes: {
            position: [
              { time: 0, x: 31, y: 13 },
              { time: 0.7, x: 50, y: 31 },
            ],
            scale: [
              { time: 0.2, value: 1, easing: 'ease_in' },
              { time: 0.6, value: 1.4 },
            ],
          },
          layers: [
            { id: 'gv', type: 'video', asset: 'turned', width: 41, height: 33, duration: 0.8 },
            {
              ...{ id: 'gg', type: 'group', y: 7, start: 0.1, fade_out: 0.4 },
              keyframes: {
                opacity: [
                  { time: 0, value: 1 },
                  { time: 0.5, value: 0.4 },
                ],
              },
              layers: [
                { id: 'gt', type: 'text', text: 'Group', font_size: 18 },
                { id: 'gs', type: 'shape', color: '#FFCC00', x: 20, y: 11, width: 33, height: 21, opacity: 0.7 },
                {
                  ...{ id: 'gc', type: 'shape', color: '#00CCFF', x: 25, y: 5, width: 33, height: 21, start: 0.2 },
                  opacity: 0.7,
                  transition: { type: 'cross_fade', from: 'gs', duration: 0.3 },
                },
              ],
            },
          ],
        },
      ],
    },
    [
      { id: 'clip', kind: 'video' },
      { id: 'turned', kind: 'video' },
    ],
    [{ name: 'small', height: 60 }],
  );

const filesIn = async (folder: string) => {
  const clip = await numberedClip(folder, 'clip.mp4', '25', 60);
  const flat = join(folder, 'flat.mp4');
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=96x160:r=30:d=2', '-c:v', 'libx264', '-bf', '2', flat);
  // Only the rotation tag makes this video upright; its pixels are not rotated.
  const turned = join(folder, 'turned.mp4');
  await ffmpeg('-display_rotation', '90', '-i', flat, '-c', 'copy', turned).catch(() =>
    ffmpeg('-i', flat, '-c', 'copy', '-metadata:s:v', 'rotate=90', turned),
  );
  return { clip, turned };
};

for (const fps of cases(['24000/1001', '30'], (one) => one !== '30'))
  test(`a film with all features is the same for any segment cuts, at ${fps}`, async (t) => {
    const folder = await folderOf(t);
    await sameWhateverTheCuts(t, await goldenOf(folder, document(fps), await filesIn(folder)));
  });

const FORMATS = {
  interlaced: [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=50:d=3', '-vf', 'interlace=lowpass=0,setfield=tff'],
    ...['-c:v', 'libx264', '-flags', '+ilme+ildct', '-x264-params', 'tff=1', '-g', '25'],
  ],
  'high dynamic range': [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=160x96:r=30:d=2', '-pix_fmt', 'yuv420p10le', '-c:v', 'libx265'],
    ...['-x265-params', 'log-level=none', '-color_trc', 'smpte2084', '-color_primaries', 'bt2020'],
    ...['-colorspace', 'bt2020nc'],
  ],
};
for (const [name, encoding] of Object.entries(FORMATS))
  test(`a clip that is ${name} is the same for any segment cuts`, async (t) => {
    const folder = await folderOf(t);
    const clip = join(folder, 'clip.mp4');
    await ffmpeg(...encoding, clip);
    const layers = [
      { id: 'v', type: 'video', asset: 'clip' },
      { id: 'l', type: 'video', asset: 'clip', width: 60, height: 40, loop: true, trim_start: 1.2, trim_end: 1.5 },
    ];
    const final = finalOf({ width: 160, height: 90, layers }, [{ id: 'clip', kind: 'video' }]);
    await sameWhateverTheCuts(t, await goldenOf(folder, final, { clip }));
  });

test('all lossless films of a render are identical, encoded in parts or whole', async (t) => {
  const folder = await folderOf(t);
  const files = await filesIn(folder);
  const whole = await rendered({ ...optionsOf(document('30000/1001'), join(folder, 'whole'), files), lossless: true });
  const parts = await rendered({
    ...optionsOf(document('30000/1001'), join(folder, 'parts'), files),
    ...{ lossless: true, max_segment_frames: 7 },
  });
  for (const [index, { file }] of whole.outputs.entries()) {
    const wanted = await hashesOf(file);
    t.is(wanted.length, 45);
    t.deepEqual(await hashesOf(parts.outputs[index]?.file ?? ''), wanted);
  }
});
