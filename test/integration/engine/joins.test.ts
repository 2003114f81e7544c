import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import { cases } from '../../helpers/runs.ts';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const probed = async (file: string) => {
  const shown = 'stream=codec_type,time_base,start_pts,duration_ts,nb_frames:packet=codec_type,pts,dts,duration,flags';
  const { streams, packets } = JSON.parse(
    (await execa('ffprobe', ['-v', 'error', '-of', 'json', '-show_entries', shown, file])).stdout,
  );
  const of = (type: string) => {
    const is = (it: { codec_type: string }) => it.codec_type === type;
    const stream = streams.find(is);
    return { ...stream, timescale: Number(stream.time_base.split('/')[1]), packets: packets.filter(is) };
  };
  return { film: of('video'), sound: of('audio') };
};

const hashes = async (files: readonly string[]): Promise<readonly (readonly string[])[]> => {
  const maps = files.flatMap((_, n) => ['-map', `${n}:v`]);
  const inputs = files.flatMap((file) => ['-i', file]);
  const lines = (await ffmpeg(...inputs, ...maps, '-fps_mode', 'passthrough', '-f', 'framemd5', '-'))
    .toString()
    .split('\n');
  return files.map((_, n) => lines.flatMap((line) => (line.startsWith(`${n},`) ? [line.slice(`${n},`.length)] : [])));
};

const layers = [
  { id: 'v', type: 'video', asset: 'clip', trim_start: 0.3 },
  { id: 't', type: 'text', text: 'Joined', start: 1, duration: 2, fade_in: 0.5, fade_out: 0.5 },
];

const RATES = [
  ['24000/1001', 24000, 1001],
  ['30000/1001', 30000, 1001],
  [25, 25, 1],
] as const;
for (const [rate, num, den] of cases(RATES, ([one]) => one === '30000/1001'))
  test(`parts of 29 frames at ${rate} join without a gap into an equal film`, async (t) => {
    const folder = await folderOf(t);
    const clip = join(folder, 'clip.mp4');
    await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=192x108:r=25:d=4', '-c:v', 'libx264', '-g', '250', clip);
    const variants = [
      { name: 'hevc', height: 72, codec: 'h265' },
      { name: 'vp9', height: 54, codec: 'vp9' },
    ];
    const final = finalOf(
      { width: 192, height: 108, fps: rate, duration: 3, layers },
      [{ id: 'clip', kind: 'video' }],
      variants,
    );
    const make = (name: string, max_segment_frames: number) =>
      rendered({ ...optionsOf(final, join(folder, name), { clip }), lossless: true, max_segment_frames });
    const joined = await make('joined', 29);
    const whole = await make('whole', 100_000);
    const frames = Math.round((3 * num) / den);
    const shown = await hashes([...joined.outputs, ...whole.outputs].map(({ file }) => file));
    t.is(whole.outputs.length, 3);
    for (const [index, { variant, file }] of joined.outputs.entries()) {
      const { film, sound } = await probed(file);
      const step = (film.timescale * den) / num;
      t.is(film.nb_frames, String(frames), variant);
      t.deepEqual([film.start_pts, film.duration_ts], [0, frames * step], variant);
      const times = film.packets.map(({ pts }: { pts: number }) => pts).toSorted((a: number, b: number) => a - b);
      t.deepEqual(
        times,
        Array.from({ length: frames }, (_, n) => n * step),
        variant,
      );
      const decoding = film.packets.map(({ dts }: { dts: number }) => dts);
      t.true(decoding.every((dts: number, n: number) => n === 0 || dts > decoding[n - 1]));
      t.deepEqual([sound.start_pts, sound.duration_ts], [0, Math.round((frames * den * 48_000) / num)], variant);
      t.is(shown[index]?.length, frames, variant);
      t.deepEqual(shown[index], shown[index + 3], variant);
    }
  });

test('no output names the program that wrote it', async (t) => {
  const folder = await folderOf(t);
  const final = finalOf({ layers: [{ id: 'a', type: 'shape', color: '#E30613' }] });
  const { outputs } = await rendered(optionsOf(final, folder));
  for (const { file } of outputs) {
    const bytes = await readFile(file);
    t.false(bytes.includes('Lavf') || bytes.includes('Lavc'), file);
  }
});
