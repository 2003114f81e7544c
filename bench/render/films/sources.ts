import { join } from 'node:path';
import { execa } from 'execa';
import { makeLogoAndBed } from '../sources.ts';

export const CLIPS = ['slow', 'hd', 'full_hd'] as const;
export const PHOTOS = ['photo_1', 'photo_2', 'photo_3', 'photo_4'] as const;

const ffmpeg = async (...args: readonly string[]): Promise<void> => {
  await execa('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args]);
};

/** Ten seconds are encoded and then repeated by stream copy, because encoding an hour would show nothing new. */
const LOOP_S = 10;

/** Motion everywhere, some grain, a keyframe every 250 frames, and sound. */
const clip = async (file: string, once: string, source: string, times: number): Promise<void> => {
  await ffmpeg(
    ...['-f', 'lavfi', '-i', `${source}:duration=${LOOP_S}`],
    ...['-f', 'lavfi', '-i', `sine=frequency=330:sample_rate=48000:duration=${LOOP_S}`],
    ...['-vf', 'gblur=sigma=2,noise=alls=5:allf=t,format=yuv420p', '-c:v', 'libx264', '-preset', 'veryfast'],
    ...['-crf', '20', '-g', '250', '-keyint_min', '250', '-sc_threshold', '0'],
    ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
    ...['-c:a', 'pcm_s16le', once],
  );
  const repeated = ['-stream_loop', String(times - 1), '-i', once];
  await ffmpeg(...repeated, '-c:v', 'copy', '-c:a', 'aac', '-b:a', '128k', '-video_track_timescale', '90000', file);
};

/** Files by asset id. @param longest_s length of the longest film in seconds */
export const makeFilmSources = async (folder: string, longest_s: number): Promise<ReadonlyMap<string, string>> => {
  const at = (id: string, ending: string): readonly [string, string] => [id, join(folder, `${id}.${ending}`)];
  const files = new Map([
    at('logo', 'png'),
    at('bed', 'm4a'),
    ...CLIPS.map((id) => at(id, 'mp4')),
    ...PHOTOS.map((id) => at(id, 'jpg')),
  ]);
  const file = (id: string): string => files.get(id) ?? '';
  await makeLogoAndBed({ logo: file('logo'), bed: file('bed') });
  // A clip may begin up to nine seconds into its source.
  const times = Math.ceil((longest_s + LOOP_S) / LOOP_S);
  const once = join(folder, 'once.mov');
  await clip(file('slow'), once, 'testsrc2=size=1280x720:rate=25', times);
  await clip(file('hd'), once, 'testsrc2=size=1280x720:rate=30', times);
  await clip(file('full_hd'), once, 'testsrc2=size=1920x1080:rate=30', times);
  for (const [n, id] of PHOTOS.entries()) {
    const zoomed = `mandelbrot=size=1920x1440:start_scale=${2 / 3 ** n}:maxiter=500,gblur=sigma=3`;
    await ffmpeg('-f', 'lavfi', '-i', zoomed, '-frames:v', '1', '-q:v', '3', file(id));
  }
  return files;
};
