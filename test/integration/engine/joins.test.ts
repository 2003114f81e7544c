import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const probed = async (file: string, stream: string) => {
  const shown = 'stream=time_base,start_pts,duration_ts,nb_frames:packet=pts,dts,duration,flags';
  const args = ['-v', 'error', '-of', 'json', '-select_streams', stream, '-show_entries', shown, file];
  const { streams, packets } = JSON.parse((await execa('ffprobe', args)).stdout);
  const timescale = Number(streams[0].time_base.split('/')[1]);
  return { ...streams[0], timescale, packets };
};

const hashes = async (file: string): Promise<readonly string[]> => {
  const text = (await ffmpeg('-i', file, '-map', '0:v', '-fps_mode', 'passthrough', '-f', 'framemd5', '-')).toString();
  return text.split('\n').filter((line) => line.startsWith('0,'));
};

const layers = [
  { id: 'v', type: 'video', asset: 'clip', trim_start: 0.3 },
  { id: 't', type: 'text', text: 'Joined', start: 1, duration: 2, fade_in: 0.5, fade_out: 0.5 },
];

for (const [rate, num, den] of [
  ['24000/1001', 24000, 1001],
  ['30000/1001', 30000, 1001],
  [25, 25, 1],
] as const)
  test(`parts of 29 frames at ${rate} join without a gap, whatever the encoder, and show what one part shows`, async (t) => {
    const folder = await folderOf(t);
    const clip = join(folder, 'clip.mp4');
    await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=4', '-c:v', 'libx264', '-g', '250', clip);
    const variants = [
      { name: 'hevc', height: 120, codec: 'h265' },
      { name: 'vp9', height: 90, codec: 'vp9' },
    ];
    const final = finalOf({ fps: rate, duration: 3, layers }, [{ id: 'clip', kind: 'video' }], variants);
    const make = (name: string, most_segment_frames: number) =>
      rendered({ ...optionsOf(final, join(folder, name), { clip }), lossless: true, most_segment_frames });
    const joined = await make('joined', 29);
    const whole = await make('whole', 100_000);
    const frames = Math.round((3 * num) / den);
    for (const [index, { variant, file }] of joined.outputs.entries()) {
      const film = await probed(file, 'v:0');
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
      const sound = await probed(file, 'a:0');
      t.deepEqual([sound.start_pts, sound.duration_ts], [0, Math.round((frames * den * 48_000) / num)], variant);
      t.deepEqual(await hashes(file), await hashes(whole.outputs[index]?.file ?? ''), variant);
    }
  });
