import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import { cases } from '../../helpers/runs.ts';
import { finalOf } from './_composition.ts';
import { folderOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const probed = async (file: string, ...shown: readonly string[]) => {
  const { stdout } = await execa('ffprobe', ['-v', 'error', '-of', 'json', ...shown, file]);
  return JSON.parse(stdout);
};

const RATES = [
  [30, 1, '30/1', 30],
  [25, 1.5, '25/1', 38],
  ['30000/1001', 1, '30000/1001', 30],
  [12.5, 2, '25/2', 25],
] as const;
for (const [fps, duration, rate, frames] of cases(RATES, ([one]) => one !== 30))
  test(`a film at ${fps} frames per second has exact frames, times, duration and sound`, async (t) => {
    const folder = await folderOf(t);
    const final = finalOf(
      { fps, duration, width: 322, layers: [{ id: 's', type: 'shape', color: '#E30613', width: 100 }] },
      [],
      [{ name: 'small', height: 90 }],
    );
    const progress: number[] = [];
    const { outputs, master, poster } = await rendered({
      ...optionsOf(final, folder),
      on_progress: ({ frames_done, frames_total }) => {
        t.is(frames_total, frames);
        progress.push(frames_done);
      },
    });

    t.deepEqual((await readdir(folder)).sort(), ['master.mp4', 'poster.jpg', 'small.mp4']);
    t.deepEqual(
      outputs.map(({ variant, width, height }) => [variant, width, height]),
      [
        ['master', 322, 180],
        ['small', 162, 90],
      ],
    );
    t.deepEqual([progress[0], progress.at(-1)], [0, frames]);
    t.deepEqual(
      progress,
      progress.toSorted((a, b) => a - b),
    );
    for (const { file, width, height } of outputs) {
      const [video, audio] = (await probed(file, '-show_streams')).streams;
      t.like(video, {
        codec_name: 'h264',
        pix_fmt: 'yuv420p',
        width,
        height,
        sample_aspect_ratio: '1:1',
        start_pts: 0,
      });
      t.like(video, { color_space: 'bt709', color_primaries: 'bt709', color_transfer: 'bt709', color_range: 'tv' });
      t.like(video, { r_frame_rate: rate, avg_frame_rate: rate, nb_frames: String(frames) });
      t.like(audio, { codec_name: 'aac', sample_rate: '48000', channels: 2, start_pts: 0 });
      const bytes = await readFile(file);
      t.true(bytes.indexOf('moov') < bytes.indexOf('mdat'), 'faststart');
    }
    const { packets, streams } = await probed(
      master,
      ...['-select_streams', 'v:0', '-show_entries', 'stream=time_base:packet=pts,duration'],
    );
    const [num = 0, den = 0] = rate.split('/').map(Number);
    const step = (Number(streams[0].time_base.split('/')[1]) * den) / num;
    const times = packets.map(({ pts }: { pts: number }) => pts).toSorted((a: number, b: number) => a - b);
    t.deepEqual(
      times,
      Array.from({ length: frames }, (_, n) => n * step),
    );
    const sound = await probed(master, '-select_streams', 'a:0', '-show_entries', 'stream=time_base,duration_ts');
    t.deepEqual(sound.streams, [{ time_base: '1/48000', duration_ts: Math.round((frames * den * 48_000) / num) }]);

    const picture = (await probed(poster.file, '-show_streams')).streams[0];
    t.like(picture, { codec_name: 'mjpeg', width: 322, height: 180 });
  });

test('the same composition gives the same film and leaves no other file', async (t) => {
  const folder = await folderOf(t);
  const final = finalOf({ layers: [{ id: 't', type: 'text', text: 'Same', fade_in: 0.5 }] });
  const films = [];
  for (const name of ['a', 'b'])
    films.push(await readFile((await rendered(optionsOf(final, join(folder, name)))).master));
  t.true(films[0]?.equals(films[1] ?? Buffer.alloc(0)));
});
