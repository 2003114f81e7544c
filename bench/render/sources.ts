import { join } from 'node:path';
import { execa } from 'execa';
import sharp from 'sharp';

export type CaseSources = { readonly clip: string; readonly wide: string; readonly logo: string; readonly bed: string };

const ffmpeg = async (...args: readonly string[]): Promise<void> => {
  await execa('ffmpeg', ['-v', 'error', '-y', ...args]);
};

/** Motion everywhere, some grain, and a keyframe every 250 frames. */
const film = async (file: string, size: string, duration_s: number): Promise<void> =>
  ffmpeg(
    ...['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=30:duration=${duration_s}`],
    ...['-f', 'lavfi', '-i', `sine=frequency=330:sample_rate=48000:duration=${duration_s}`],
    ...['-vf', 'gblur=sigma=2,noise=alls=5:allf=t,format=yuv420p', '-c:v', 'libx264', '-preset', 'veryfast'],
    ...['-crf', '20', '-g', '250', '-keyint_min', '250', '-sc_threshold', '0'],
    ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
    ...['-c:a', 'aac', '-b:a', '128k', file],
  );

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="120">
  <rect width="240" height="120" rx="28" fill="#FF7A59"/><circle cx="60" cy="60" r="36" fill="#FFF6EC"/>
  <path d="M120 84 L150 36 L180 84 Z" fill="#14132E"/></svg>`;

export const caseSourcesIn = (folder: string): CaseSources => ({
  clip: join(folder, 'clip.mp4'),
  wide: join(folder, 'wide.mp4'),
  logo: join(folder, 'logo.png'),
  bed: join(folder, 'bed.m4a'),
});

export const makeLogoAndBed = async ({ logo, bed }: Pick<CaseSources, 'logo' | 'bed'>): Promise<void> => {
  await sharp(Buffer.from(LOGO)).png().toFile(logo);
  const tones = 'sine=frequency=110:sample_rate=48000:duration=62';
  await ffmpeg('-f', 'lavfi', '-i', tones, '-ac', '2', '-c:a', 'aac', '-b:a', '128k', bed);
};

/** @param with_wide whether to make the minute of 1080p, which takes longest */
export const makeSources = async (folder: string, with_wide: boolean): Promise<CaseSources> => {
  const sources = caseSourcesIn(folder);
  await makeLogoAndBed(sources);
  await film(sources.clip, '1280x720', 12);
  if (with_wide) await film(sources.wide, '1920x1080', 62);
  return sources;
};
