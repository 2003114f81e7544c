/**
 * make soak-render: renders an hour of film at 320x180, 10 frames per second, in parts. Exit code 0 if
 * - memory grows by no more than MAX_GROWTH,
 * - all frames exist,
 * - sound and picture are in sync in the last second.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { composeFinal } from '../../domain/composition/final-composition.ts';
import { decodeProjectDocument } from '../../domain/composition/project-document.ts';
import { openFolderCache } from '../../engine/cache/folder-cache.ts';
import { hashOfFile } from '../../platform/blob-store/file-hash.ts';
import { processUsageOf } from '../usage.ts';
import { renderCase } from './engine-run.ts';

const HOUR_S = 3_600;
const FPS = 10;
/** A white frame and a tone begin at this time, in seconds. */
const SIGNAL_S = 3_599;
const SAMPLE_EVERY_MS = 500;
/** The limit for the memory of the second half, relative to the first. */
const MAX_GROWTH = 1.15;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ffmpeg = (...args: readonly string[]) => execa('ffmpeg', ['-v', 'info', '-nostats', '-y', ...args]);

const folder = await mkdtemp(join(tmpdir(), 'soak-'));
const [clip, flash] = [join(folder, 'clip.mp4'), join(folder, 'flash.mp4')];

const project = (shas: readonly [string, string]) => {
  const minutes = Array.from({ length: 60 }, (_, n) => ({
    ...{ id: `minute-${n}`, type: 'text', text: `Minute ${n + 1}`, font_size: 32, x: 10, y: 120, width: 300 },
    ...{ start: n * 60 + 5, duration: 50, fade_in: 1, fade_out: 1 },
  }));
  const stored = { size_bytes: 1, content_type: 'video/mp4', file_name: 'clip', kind: 'video' };
  return {
    name: 'Soak',
    main_composition_id: 'comp_main',
    compositions: [
      {
        ...{ id: 'comp_main', width: 320, height: 180, fps: FPS, duration: HOUR_S },
        layers: [
          { id: 'clip', type: 'video', asset: 'clip', loop: true, volume: 0.1 },
          ...minutes,
          { id: 'flash', type: 'video', asset: 'flash', start: SIGNAL_S },
        ],
      },
    ],
    assets: [
      { id: 'clip', sha256: shas[0], ...stored },
      { id: 'flash', sha256: shas[1], ...stored },
    ],
  };
};

/** When the white frames and the tone begin in the last seconds of the film. */
const signalsIn = async (film: string): Promise<{ readonly picture_s: number; readonly sound_s: number }> => {
  const from_s = SIGNAL_S - 9;
  const seek = ['-ss', String(from_s), '-i', film];
  const black = await ffmpeg(...seek, '-an', '-vf', 'negate,blackdetect=d=0.05:pix_th=0.1', '-f', 'null', '-');
  const silence = await ffmpeg(...seek, '-vn', '-af', 'silencedetect=noise=-28dB:d=0.5', '-f', 'null', '-');
  const at = (text: string, mark: RegExp) => from_s + Number(mark.exec(text)?.[1] ?? Number.NaN);
  return {
    picture_s: at(black.stderr, /black_start:([\d.]+)/),
    sound_s: at(silence.stderr, /silence_end: ([\d.]+)/),
  };
};

const faults: string[] = [];
try {
  const small = ['-s', '320x180', '-c:v', 'libx264', '-preset', 'veryfast', '-g', '250', '-c:a', 'aac'];
  await ffmpeg(
    '-f',
    'lavfi',
    '-i',
    'testsrc2=r=10:d=20',
    '-f',
    'lavfi',
    '-i',
    'anoisesrc=color=pink:amplitude=0.5:d=20',
    ...small,
    clip,
  );
  await ffmpeg('-f', 'lavfi', '-i', 'color=white:r=10:d=1', '-f', 'lavfi', '-i', 'sine=880:d=1', ...small, flash);
  const document = decodeProjectDocument(project([(await hashOfFile(clip)).sha256, (await hashOfFile(flash)).sha256]));
  if (E.isLeft(document)) throw new Error(JSON.stringify(document.left));
  const final = composeFinal(document.right, null, {});
  if (E.isLeft(final)) throw new Error(final.left.message);

  const samples: { readonly share: number; readonly bytes: number }[] = [];
  let share = 0;
  const over = new AbortController();
  const sampling = (async () => {
    while (!over.signal.aborted) {
      const [usage] = await processUsageOf([process.pid]);
      samples.push({ share, bytes: usage?.resident_bytes ?? 0 });
      await pause(SAMPLE_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  const one = {
    ...{ name: 'soak', project: {}, command: () => [] },
    final: () => final.right,
    assets: new Map(Object.entries({ clip, flash })),
  };
  const began = performance.now();
  const cache = await openFolderCache(join(folder, 'cache'));
  let tenths = 0;
  const on_progress = (now: number): void => {
    share = now;
    if (Math.floor(10 * now) > tenths)
      say(`${10 * ++tenths} % after ${Math.round((performance.now() - began) / 1_000)} s`);
  };
  const rendered = await renderCase(one, '', join(folder, 'out'), { cache, on_progress });
  over.abort();
  await sampling;

  const most = (from: number, until: number): number =>
    Math.max(...samples.filter((sample) => sample.share > from && sample.share <= until).map(({ bytes }) => bytes));
  const [first, second] = [most(0.05, 0.5) / 2 ** 20, most(0.5, 0.95) / 2 ** 20];
  say(`most memory in the first half ${first.toFixed(0)} MiB, in the second ${second.toFixed(0)} MiB`);
  if (!(second <= first * MAX_GROWTH)) faults.push('memory grows');
  const frames = rendered.outputs[0]?.frames;
  say(`${frames} frames in ${Math.round((performance.now() - began) / 1_000)} s`);
  if (frames !== HOUR_S * FPS) faults.push(`there are ${frames} frames`);
  const { picture_s, sound_s } = await signalsIn(rendered.outputs[0]?.file ?? '');
  say(`at ${SIGNAL_S} s: the picture begins at ${picture_s}, the sound at ${sound_s}`);
  if (!(Math.abs(picture_s - SIGNAL_S) <= 1 / FPS)) faults.push('the picture is not in step');
  if (!(Math.abs(sound_s - SIGNAL_S) <= 1 / FPS)) faults.push('the sound is not in step');
} finally {
  await rm(folder, { recursive: true, force: true });
}
for (const fault of faults) say(`not as it should be: ${fault}`);
if (faults.length > 0) process.exitCode = 1;
