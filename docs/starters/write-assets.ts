/**
 * Writes the sounds, clips and moving pictures of `examples/starters`: all, or only those of the named folders.
 * `node docs/starters/write-assets.ts promo`.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import sharp from 'sharp';
import { renderFilm } from '../composition/engine.ts';
import { CLIPS, type Clip } from './clips.ts';
import { MUSIC } from './music.ts';
import { SAMPLE_RATE, type Track } from './synthesizer.ts';

const FFMPEG = process.env.FFMPEG_PATH ?? 'ffmpeg';

const assetFile = (starter: string, name: string): string =>
  fileURLToPath(new URL(`../../examples/starters/${starter}/assets/${name}`, import.meta.url));

/** Delays of different lengths, which sound like a room. */
const ROOM = 'aecho=0.85:0.5:37|61|97|149:0.22|0.17|0.13|0.09';
const LOUDNESS = 'loudnorm=I=-17:TP=-2';
const BITRATE = '36k';

const interleave = ({ left, right }: Track): Buffer => {
  const samples = new Float32Array(left.length * 2);
  for (let index = 0; index < left.length; index += 1) {
    samples[2 * index] = (left[index] ?? 0) * 0.5;
    samples[2 * index + 1] = (right[index] ?? 0) * 0.5;
  }
  return Buffer.from(samples.buffer);
};

const writeMusic = async (track: Track, file: string): Promise<void> => {
  const input = ['-f', 'f32le', '-ar', `${SAMPLE_RATE}`, '-ac', '2', '-i', 'pipe:0'];
  const filters = ['-af', `lowpass=f=9000,${ROOM},${LOUDNESS}`, '-ar', `${SAMPLE_RATE}`];
  const encoder = ['-c:a', 'libopus', '-b:a', BITRATE, '-map_metadata', '-1', '-fflags', '+bitexact'];
  await execa(FFMPEG, ['-v', 'error', '-y', ...input, ...filters, ...encoder, file], { input: interleave(track) });
};

const writeClip = async ({ parts, assets }: Clip, file: string, work_dir: string): Promise<void> => {
  const film = await renderFilm(parts, assets, work_dir);
  const encoder = ['-c:v', 'libx264', '-preset', 'slow', '-crf', '29', '-pix_fmt', 'yuv420p'];
  const output = ['-an', '-movflags', '+faststart', '-map_metadata', '-1', file];
  await execa(FFMPEG, ['-v', 'error', '-y', '-i', film, ...encoder, ...output]);
};

const WAVE = { width: 460, height: 64, bars: 46, frames: 20, delay_ms: 100 };

/** The height of a bar from 0 to 1. It repeats after all frames. */
const levelAt = (index: number, frame: number): number => {
  const turn = (2 * Math.PI * frame) / WAVE.frames;
  const slow = Math.sin(turn + index * 0.55) * Math.sin(2 * turn + index * 1.7);
  const fast = Math.sin(3 * turn + index * 2.9);
  const envelope = 0.45 + 0.55 * Math.sin((Math.PI * (index + 0.5)) / WAVE.bars);
  return Math.max(0.1, envelope * (0.52 + 0.3 * slow + 0.18 * fast));
};

const waveFrame = (frame: number): string => {
  const step = WAVE.width / WAVE.bars;
  const bars = Array.from({ length: WAVE.bars }, (_, index) => {
    const height = levelAt(index, frame) * WAVE.height;
    const hue = index / (WAVE.bars - 1);
    const color = `rgb(255,${Math.round(112 + 60 * hue)},${Math.round(138 - 70 * hue)})`;
    const y = (WAVE.height - height) / 2;
    return `<rect x="${index * step + 2}" y="${y.toFixed(2)}" width="${step - 4}" height="${height.toFixed(2)}" rx="3" fill="${color}"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WAVE.width}" height="${WAVE.height}">${bars.join('')}</svg>`;
};

const writeWave = async (file: string): Promise<void> => {
  const frames = await Promise.all(
    Array.from({ length: WAVE.frames }, (_, frame) =>
      sharp(Buffer.from(waveFrame(frame)), { density: 144 })
        .png()
        .toBuffer(),
    ),
  );
  const delay = frames.map(() => WAVE.delay_ms);
  await writeFile(
    file,
    await sharp(frames, { join: { animated: true } })
      .webp({ quality: 60, alphaQuality: 60, effort: 6, delay, loop: 0 })
      .toBuffer(),
  );
};

const named = process.argv.slice(2);
const isWanted = (starter: string): boolean => named.length === 0 || named.includes(starter);

const work_dir = await mkdtemp(join(tmpdir(), 'starters-'));
try {
  for (const [starter, music] of Object.entries(MUSIC))
    if (isWanted(starter)) await writeMusic(music(), assetFile(starter, 'music.opus'));
  if (isWanted('podcast')) await writeWave(assetFile('podcast', 'wave.webp'));
  for (const [starter, clip] of Object.entries(CLIPS))
    if (isWanted(starter)) await writeClip(clip, assetFile(starter, 'clip.mp4'), join(work_dir, starter));
} finally {
  await rm(work_dir, { recursive: true, force: true });
}
