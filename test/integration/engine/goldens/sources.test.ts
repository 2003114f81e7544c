import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import sharp from 'sharp';
import { cases, IN_FULL } from '../../../helpers/runs.ts';
import { ffmpeg } from '../_measuring.ts';
import { grey, holds, levelOfFrame, numberedClip, picture } from './_greys.ts';

const long = IN_FULL ? test : test.skip;

const video = (parts: object = {}) => ({ id: 'v', type: 'video', asset: 'clip', ...parts });
const clipOf =
  (name: string, fps: string, frames: number, options: readonly string[] = [], filters?: string) =>
  async (folder: string) => ({ clip: await numberedClip(folder, name, fps, frames, options, filters) });
const frameOf = (n: number) => picture({ level: levelOfFrame(n) });
/** A picture can show this part of a film frame early, to tolerate rounded times. */
const EARLY = 0.0973;
/** The frame of a 25 fps source on a layer's frame `n`. */
const shownAt = (n: number, fps: number, speed = 1, trim_start = 0) =>
  Math.floor((trim_start + ((n + EARLY) / fps) * speed) * 25);

const RATES = [
  ['24000/1001', 24000],
  ['30000/1001', 30000],
  ['60', 60060],
] as const;
for (const [fps, num] of cases(RATES, ([one]) => one !== '30000/1001'))
  test(`a clip at 25 fps keeps the durations of its frames, at ${fps}`, async (t) => {
    await holds(t, [video()], (n) => frameOf(shownAt(n, num / 1001)), {
      parts: { fps, duration: 1.5 },
      files: clipOf('clip.mkv', '25', 60),
    });
  });

test('a part of a clip plays at its speed, and its last picture stays', async (t) => {
  for (const speed of cases([0.4, 1, 2.5], (one) => one !== 1))
    await holds(
      t,
      [video({ trim_start: 1.5, trim_end: 2.5, speed, start: 0.1 })],
      (n) => (n < 3 ? picture() : frameOf(Math.min(62, shownAt(n - 3, 30, speed, 1.5)))),
      { parts: { duration: 2 }, files: clipOf('clip.mp4', '25', 100) },
    );
});

test('a clip shows its last picture after its end, even in much later segments', async (t) => {
  await holds(t, [video({ trim_start: 1 })], (n) => frameOf(Math.min(39, n + 30)), {
    parts: { duration: 2.2 },
    files: clipOf('clip.mp4', '30', 40, ['-bf', '2', '-g', '20']),
  });
});

test('a clip with a late first picture shows that picture from the start', async (t) => {
  await holds(t, [video()], (n) => frameOf(Math.max(12, n)), {
    files: async (folder) => {
      const late = await numberedClip(folder, 'late.mp4', '30', 60, [], "select='gte(n,12)'");
      const clip = join(folder, 'clip.mkv');
      const silence = ['-f', 'lavfi', '-i', 'anullsrc=d=2'];
      await ffmpeg(
        '-itsoffset',
        '0.4',
        '-i',
        late,
        ...silence,
        '-map',
        '0:v',
        '-map',
        '1:a',
        '-c:v',
        'copy',
        '-c:a',
        'pcm_s16le',
        clip,
      );
      return { clip };
    },
  });
});

test('a picture that lasts seconds in its source lasts as long in the film', async (t) => {
  const kept = (n: number) => (n < 8 ? n : n < 95 ? 7 : n < 100 ? n : 99);
  await holds(t, [video({ trim_start: 0.1 })], (n) => frameOf(kept(n + 3)), {
    parts: { duration: 3.5 },
    files: clipOf('gap.mp4', '30', 140, ['-bf', '2'], "select='lt(n,8)+between(n,95,99)'"),
  });
});

long('a part begins again after a whole number of frames, at its speed, wherever it is cut', async (t) => {
  for (const [fps, num, den] of [
    ['30000/1001', 30000, 1001],
    ['30', 30, 1],
  ] as const)
    for (const [trim_start, trim_end, speed] of [
      [0, null, 1],
      [1.25, 1.6, 1],
      [1.25, 2, 2.5],
    ] as const) {
      const last = Math.ceil((trim_end ?? 3) * 25) - 1;
      const body = Math.round((((trim_end ?? 75 / 25) - trim_start) / speed) * (num / den));
      await holds(
        t,
        [video({ trim_start, trim_end, speed, loop: true })],
        (n) => frameOf(Math.min(last, shownAt(n % body, num / den, speed, trim_start))),
        { parts: { fps, duration: trim_end === null ? 4 : 1.2 }, files: clipOf('clip.mp4', '25', 75) },
      );
    }
});

test('a part with a long-lasting picture loops exactly', async (t) => {
  const kept = (n: number) => (n < 38 ? Math.max(30, n) : n < 69 ? 37 : n);
  for (const [trim_end, body] of [
    [2.5, 45],
    [2.2, 36],
  ] as const)
    await holds(t, [video({ trim_start: 1, trim_end, loop: true })], (n) => frameOf(kept(30 + (n % body))), {
      parts: { duration: 3.4 },
      files: clipOf('gap.mp4', '30', 140, [], "select='lt(n,1)+between(n,25,37)+gte(n,69)'"),
    });
});

test('a clip whose sound is primed before its first picture loops exactly', async (t) => {
  await holds(t, [video({ loop: true, trim_end: 0.4 })], (n) => frameOf(n % 12), {
    files: async (folder) => {
      const silent = await numberedClip(folder, 'silent.mp4', '30', 60, ['-bf', '2']);
      const clip = join(folder, 'clip.mp4');
      const sound = ['-f', 'lavfi', '-i', 'sine=d=2:sample_rate=44100'];
      await ffmpeg('-i', silent, ...sound, '-c:v', 'copy', '-c:a', 'aac', clip);
      return { clip };
    },
  });
});

test('a container without an index is read exactly', async (t) => {
  for (const loop of [false, true])
    await holds(
      t,
      [video({ trim_start: 2.2, trim_end: 3.2, loop })],
      (n) => frameOf(66 + (loop ? n % 30 : Math.min(29, n))),
      {
        parts: { duration: 1.5 },
        files: clipOf('clip.ts', '30', 120),
      },
    );
});

test('a clip that is as long as its media disappears after it', async (t) => {
  await holds(
    t,
    [video({ duration: 'media', start: 0.2, trim_start: 0.4, speed: 2 })],
    (n) => (n < 6 || n >= 6 + 14 ? picture() : frameOf(12 + 2 * (n - 6))),
    { files: clipOf('clip.mp4', '30', 40) },
  );
});

test('a clip with alpha shows the layer below, also in a loop', async (t) => {
  const level = 240;
  await holds(
    t,
    [{ id: 's', type: 'shape', color: grey(80) }, video({ loop: true, width: 32, height: 24 })],
    () => {
      const wanted: (number | null)[] = [...picture({ level: 80 }, { width: 32, height: 24, level, alpha: 0.5 })];
      // Ignores pixels at the edges, where the encoder blurs chroma and alpha.
      return wanted.map((value, at) =>
        at % 64 < 36 && (at % 64 > 28 || Math.floor(at / 64) > 20) && at / 64 < 28 ? null : value,
      );
    },
    {
      tolerance: 8,
      files: async (folder) => {
        const clip = join(folder, 'clip.webm');
        const source = `color=c=${grey(level)}@0.5:s=32x24:r=30:d=0.4,format=yuva420p`;
        await ffmpeg('-f', 'lavfi', '-i', source, '-c:v', 'libvpx-vp9', '-lossless', '1', '-pix_fmt', 'yuva420p', clip);
        return { clip };
      },
    },
  );
});

test('an animated picture shows each page for its time, in every loop', async (t) => {
  const pages = [40, 120, 200];
  const size = { width: 32, height: 24 };
  await holds(
    t,
    [{ id: 'g', type: 'image', asset: 'sticker', start: 0.1 }],
    (n) => (n < 3 ? picture() : picture({ level: pages[Math.floor(((n - 3) * 1001) / 6000 + 1e-6) % 3] ?? 0 })),
    {
      parts: { fps: '30000/1001', duration: 2 },
      kinds: { sticker: 'image' },
      files: async (folder) => {
        const sticker = join(folder, 'sticker.webp');
        const page = (level: number) => ({ ...size, channels: 3 as const, background: grey(level) });
        const images = await Promise.all(
          pages.map((level) =>
            sharp({ create: page(level) })
              .png()
              .toBuffer(),
          ),
        );
        const joined = sharp(images, { join: { animated: true } });
        await writeFile(sticker, await joined.webp({ lossless: true, delay: [200, 200, 200], loop: 0 }).toBuffer());
        return { sticker };
      },
    },
  );
});
