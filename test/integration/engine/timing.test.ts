import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { ENGINE_VERSION } from '../../../domain/composition/engine-version.ts';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf, framesOf, levelOf, pixelAt, samplesOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

/** A clip whose frame n is a grey of the level 4n + 10, which identifies the frame in a film. */
const numbered = async (folder: string, name: string, fps: string, frames: number, extra: readonly string[] = []) => {
  const path = join(folder, name);
  const source = `color=c=black:s=64x36:r=${fps},format=gbrp,geq=r='4*N+10':g='4*N+10':b='4*N+10'`;
  const toYuv = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p';
  const encoding = ['-c:v', 'libx264', '-qp', '0', '-g', '250', '-colorspace', 'bt709', '-color_range', 'tv'];
  await ffmpeg('-f', 'lavfi', '-i', source, ...extra, '-vf', toYuv, '-frames:v', String(frames), ...encoding, path);
  return path;
};

/** The rows in the middle of the frame, which the tests read. */
const BAND = { top: 82, height: 16 };

/** The number of the clip's frame that each frame shows at this column. */
const numbersAt = (bands: readonly Buffer[], x: number): readonly (number | null)[] =>
  bands.map((band) => {
    const [level = 0] = pixelAt(band, 320, x, BAND.height / 2);
    return level < 6 ? null : Math.round((level - 10) / 4);
  });

const bandsOf = (file: string): Promise<readonly Buffer[]> => framesOf(file, 320, BAND.height, [], BAND.top);

const shownBy = async (file: string): Promise<readonly (number | null)[]> => numbersAt(await bandsOf(file), 160);

const shown = async (folder: string, clip: string, layer: object, parts: object = {}) => {
  const layers = [{ id: 'v', type: 'video', asset: 'clip', ...layer }];
  const final = finalOf({ ...parts, layers }, [{ id: 'clip', kind: 'video' }]);
  return shownBy((await rendered(optionsOf(final, join(folder, 'out'), { clip }))).master);
};

/** Like `shown`, for several layers side by side in one film, because a film for each costs mostly process starts. */
const shownTogether = async (
  folder: string,
  columns: readonly (readonly [clip: string, layer: object])[],
  parts: object = {},
): Promise<readonly (readonly (number | null)[])[]> => {
  const clips = [...new Set(columns.map(([clip]) => clip))];
  const width = 2 * Math.floor(160 / columns.length);
  const layers = columns.map(([clip, layer], n) => ({
    ...{ id: `v${n}`, type: 'video', asset: `clip-${clips.indexOf(clip)}`, fit: 'fill' },
    ...{ x: n * width, y: 0, width, height: 180 },
    ...layer,
  }));
  const assets = Object.fromEntries(clips.map((clip, n) => [`clip-${n}`, clip]));
  const kinds = Object.keys(assets).map((id) => ({ id, kind: 'video' as const }));
  const options = optionsOf(finalOf({ ...parts, layers }, kinds), join(folder, 'out'), assets);
  // Without loss, adjacent columns do not change each other's colours.
  const bands = await bandsOf((await rendered({ ...options, lossless: true })).master);
  return columns.map((_, n) => numbersAt(bands, n * width + width / 2));
};
const count = (length: number, of: (n: number) => number | null) => Array.from({ length }, (_, n) => of(n));

test('at its own frame rate a clip shows each frame once', async (t) => {
  const folder = await folderOf(t);
  const clip = await numbered(folder, 'clip.mp4', '30', 40);
  t.deepEqual(
    await shown(folder, clip, {}),
    count(30, (n) => n),
  );
});

test('a clip shorter than a tenth of a frame keeps its picture', async (t) => {
  const folder = await folderOf(t);
  const clip = await numbered(folder, 'short.mp4', '1000', 9);
  t.deepEqual(
    await shown(folder, clip, {}, { fps: 5, duration: 1 }),
    count(5, () => 0),
  );
});

test('60 fps clips show every other frame, and 25 fps clips keep durations', async (t) => {
  const folder = await folderOf(t);
  const fast = await numbered(folder, 'fast.mp4', '60', 60);
  t.deepEqual(
    await shown(folder, fast, {}),
    count(30, (n) => 2 * n),
  );
  const slow = await numbered(folder, 'slow.mkv', '25', 50);
  t.deepEqual(
    await shown(folder, slow, {}, { fps: '30000/1001', duration: 1.5 }),
    count(45, (n) => Math.floor(((n * 1001) / 30000) * 25 + 0.1)),
  );
});

test('the last picture of a clip stays, even if it ends between film frames', async (t) => {
  const folder = await folderOf(t);
  const fast = await numbered(folder, 'fast.mp4', '60', 40);
  const slow = await numbered(folder, 'slow.mkv', '30', 58);
  const [whole, sped, trimmed] = await shownTogether(folder, [
    [fast, {}],
    [slow, { speed: 10 }],
    [slow, { speed: 10, trim_end: 1.2 }],
  ]);
  t.deepEqual(
    whole,
    count(30, (n) => Math.min(39, 2 * n)),
  );
  t.deepEqual(
    sped,
    count(30, (n) => Math.min(57, 10 * n)),
  );
  t.deepEqual(
    trimmed,
    count(30, (n) => Math.min(35, 10 * n)),
  );
});

test('sound primed before the first picture does not delay that picture', async (t) => {
  const folder = await folderOf(t);
  const columns: [string, object][] = [];
  for (const [name, codec, rate] of [
    ['clip.mkv', 'libopus', '48000'],
    ['fast.ts', 'aac', '48000'],
    ['slow.ts', 'aac', '22050'],
  ] as const) {
    const sound = ['-f', 'lavfi', '-i', 'sine=duration=1.3', '-c:a', codec, '-ar', rate];
    columns.push([await numbered(folder, name, '30', 40, sound), {}]);
  }
  for (const [index, found] of (await shownTogether(folder, columns)).entries())
    t.deepEqual(
      found,
      count(30, (n) => n),
      columns[index]?.[0],
    );
});

test('sound and picture of a fragmented MP4 stay in step despite B-frame delay', async (t) => {
  const folder = await folderOf(t);
  const clip = join(folder, 'fragments.mp4');
  await ffmpeg(
    ...[
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=64x36:r=24:d=1.2',
      '-f',
      'lavfi',
      '-i',
      "aevalsrc='gte(t,0.5)*sin(6283*t)/4':d=1.2",
    ],
    ...['-c:v', 'libx264', '-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', clip],
  );
  const layers = [{ id: 'v', type: 'video', asset: 'clip' }];
  const final = finalOf({ fps: 24, layers }, [{ id: 'clip', kind: 'video' }]);
  const samples = await samplesOf((await rendered(optionsOf(final, join(folder, 'out'), { clip }))).master);
  const onset_s = samples.findIndex((sample) => Math.abs(sample) > 0.1) / 2 / 48_000;
  t.true(Math.abs(onset_s - 0.5) < 0.005, String(onset_s));
});

test('trim and start shift a clip by exact frames within its visible period', async (t) => {
  const folder = await folderOf(t);
  const clip = await numbered(folder, 'clip.mp4', '30', 58);
  t.deepEqual(
    await shown(folder, clip, { start: 0.2, duration: 0.7, trim_start: 1.5 }),
    count(30, (n) => (n < 6 || n >= 27 ? null : Math.min(57, 45 + n - 6))),
  );
});

test('a picture that starts after its sound shows from the start, also in loops', async (t) => {
  const folder = await folderOf(t);
  const clip = await numbered(folder, 'clip.mp4', '30', 40);
  const columns: [string, object][] = [];
  const endings = [
    ['mp4', 'aac'],
    ['mkv', 'flac'],
  ] as const;
  for (const [ending, codec] of endings) {
    const late = join(folder, `late.${ending}`);
    const sound = ['-f', 'lavfi', '-i', 'sine=duration=4', '-map', '0:v', '-map', '1:a'];
    await ffmpeg('-itsoffset', '2', '-i', clip, ...sound, '-c:v', 'copy', '-c:a', codec, late);
    columns.push([late, { trim_start: 1.5 }], [late, { trim_start: 1.8, trim_end: 2.2, loop: true }]);
  }
  const found = await shownTogether(folder, columns);
  for (const [index, [ending]] of endings.entries()) {
    t.deepEqual(
      found[2 * index],
      count(30, (n) => Math.max(0, n - 15)),
      `${ending}, trimmed`,
    );
    t.deepEqual(
      found[2 * index + 1],
      count(30, (n) => Math.max(0, (n % 12) - 6)),
      `${ending}, looped`,
    );
  }
});

test('a looping clip restarts at once', async (t) => {
  const folder = await folderOf(t);
  const clip = await numbered(folder, 'clip.mp4', '30', 12);
  t.deepEqual(
    await shown(folder, clip, { loop: true }),
    count(30, (n) => n % 12),
  );
});

test('a TS whose clock restarts in the middle plays completely', async (t) => {
  const folder = await folderOf(t);
  // Timestamps of MPEG-TS (33 bits at 90 kHz) restart after 95,443.7 s. ffmpeg adds 1.4 s to the offset.
  const sound = ['-f', 'lavfi', '-i', 'sine=duration=1.3', '-c:a', 'aac', '-output_ts_offset', '95442'];
  const clip = await numbered(folder, 'clip.ts', '30', 36, sound);
  const layers = [{ id: 'v', type: 'video', asset: 'clip' }];
  const final = finalOf({ layers }, [{ id: 'clip', kind: 'video' }]);
  const { master } = await rendered(optionsOf(final, join(folder, 'out'), { clip }));
  t.deepEqual(
    await shownBy(master),
    count(30, (n) => n),
  );
  const samples = await samplesOf(master);
  for (const [from, until] of [
    [0.05, 0.25],
    [0.4, 0.9],
  ] as const)
    t.true(Math.abs(levelOf(samples, from, until) + 21.1) < 0.5, `from ${from} s: ${levelOf(samples, from, until)} dB`);
});

test('a fade changes linearly from the layer below', async (t) => {
  const folder = await folderOf(t);
  const layers = [
    { id: 's', type: 'shape', color: '#FFFFFF', fade_in: 1 / 3, start: 0.1, duration: 0.8, fade_out: 0.2 },
  ];
  const { master } = await rendered(optionsOf(finalOf({ layers }), folder));
  const levels = (await bandsOf(master)).map((band) => pixelAt(band, 320, 160, 8)[0] ?? 0);
  const wanted = count(30, (n) => {
    if (n < 3 || n >= 27) return 0;
    return 255 * Math.min((n - 3) / 10, 1, (27 - n) / 6);
  });
  for (const [n, level] of levels.entries())
    t.true(Math.abs(level - (wanted[n] ?? 0)) <= 6, `frame ${n}: ${level}, not ${wanted[n]}`);
});

test('after a sound ends the music keeps its level, and sounds start in time', async (t) => {
  const folder = await folderOf(t);
  const tone = async (name: string, hz: number, seconds: number, ...rest: readonly string[]) => {
    const path = join(folder, name);
    await ffmpeg('-f', 'lavfi', '-i', `sine=frequency=${hz}:duration=${seconds}:sample_rate=44100`, ...rest, path);
    return path;
  };
  const bed = await tone('bed.wav', 440, 2, '-ac', '2');
  const hit = await tone('hit.mp3', 1000, 0.4, '-ac', '1');
  const layers = [
    { id: 'bed', type: 'audio', asset: 'bed', duration: 1.6 },
    { id: 'hit', type: 'audio', asset: 'hit', start: 0.5, duration: 0.3 },
    { id: 'late', type: 'audio', asset: 'bed', start: 1.8, trim_start: 0.5, volume: 0.5 },
  ];
  const assets = [
    { id: 'bed', kind: 'audio' as const },
    { id: 'hit', kind: 'audio' as const },
  ];
  const { master } = await rendered(optionsOf(finalOf({ duration: 2, layers }, assets), folder, { bed, hit }));
  const samples = await samplesOf(master);
  const before = levelOf(samples, 0.1, 0.4);
  t.true(Math.abs(levelOf(samples, 0.9, 1.5) - before) < 0.2, 'the bed after the hit');
  t.true(levelOf(samples, 0.55, 0.75) > before + 1, 'bed and hit together');
  t.true(levelOf(samples, 1.65, 1.75) < -60, 'silence in between');
  t.true(Math.abs(levelOf(samples, 1.85, 1.95) - (before - 6.02)) < 0.3, 'half the volume');
});

test('picture and sound of a trimmed and shifted clip stay in step', async (t) => {
  const folder = await folderOf(t);
  const clip = join(folder, 'clip.mp4');
  const flash = "geq=r='255*between(T,2,2.2)':g='255*between(T,2,2.2)':b='255*between(T,2,2.2)'";
  await ffmpeg(
    ...['-f', 'lavfi', '-i', `color=c=black:s=64x36:r=30:d=3,format=gbrp,${flash},format=yuv420p`],
    ...['-f', 'lavfi', '-i', "aevalsrc='0.5*sin(2*PI*1000*t)*between(t,2,2.2)':d=3:s=44100"],
    ...['-c:v', 'libx264', '-c:a', 'aac', clip],
  );
  const layers = [{ id: 'v', type: 'video', asset: 'clip', trim_start: 1.5, start: 0.1 }];
  const { master } = await rendered(
    optionsOf(finalOf({ layers }, [{ id: 'clip', kind: 'video' }]), join(folder, 'out'), { clip }),
  );
  const frames = await bandsOf(master);
  t.is(
    frames.findIndex((frame) => (pixelAt(frame, 320, 160, 8)[0] ?? 0) > 128),
    18,
  );
  const samples = await samplesOf(master);
  const first = samples.findIndex((sample) => Math.abs(sample) > 0.1) / 2 / 48_000;
  t.true(Math.abs(first - 0.6) < 0.01, `the tone begins at ${first} s`);
});

test('a layer begins on the frame after the media that it follows', async (t) => {
  const folder = await folderOf(t);
  const clip = await numbered(folder, 'clip.mp4', '30', 20);
  const tone = join(folder, 'tone.wav');
  await ffmpeg('-f', 'lavfi', '-i', 'sine=frequency=1000:duration=0.2:sample_rate=48000', tone);
  const media = { type: 'video', asset: 'clip', fit: 'fill', width: 160, duration: 'media' };
  const layers = [
    { id: 'back', type: 'shape', color: '#000000' },
    { id: 'right', ...media, x: 160, start: { after: 'left', offset: -0.1 } },
    { id: 'left', ...media, x: 0 },
    { id: 'tone', type: 'audio', asset: 'tone', start: { after: 'right', offset: 0.1 }, duration: 'media' },
  ];
  const assets = [
    { id: 'clip', kind: 'video' as const, duration_s: 20 / 30 },
    { id: 'tone', kind: 'audio' as const, duration_s: 0.2 },
  ];
  const final = finalOf({ duration: 'auto', layers }, assets);
  const { master } = await rendered({ ...optionsOf(final, join(folder, 'out'), { clip, tone }), lossless: true });
  const bands = await bandsOf(master);
  t.deepEqual(
    numbersAt(bands, 80),
    count(46, (n) => (n < 20 ? n : null)),
  );
  t.deepEqual(
    numbersAt(bands, 240),
    count(46, (n) => (n >= 17 && n < 37 ? n - 17 : null)),
  );
  const samples = await samplesOf(master);
  const first = samples.findIndex((sample) => Math.abs(sample) > 0.05) / 2 / 48_000;
  t.true(Math.abs(first - 40 / 30) < 0.01, `the tone begins at ${first} s`);
});

test('the last frame is shown, also in loops, for any MP4 time scale', async (t) => {
  const folder = await folderOf(t);
  for (const [fps, scales] of [
    [30, [600, 1000, 90_000]],
    [24, [600]],
  ] as const) {
    const whole = await numbered(folder, `${fps}.mkv`, `${fps}`, 20);
    const columns: [string, object][] = [];
    for (const scale of scales) {
      const clip = join(folder, `at-${scale}-${fps}.mov`);
      // With reordered frames the muxer gives the last one a duration of one tick.
      const reordered = ['-c:v', 'libx264', '-crf', '4', '-bf', '3', '-colorspace', 'bt709', '-color_range', 'tv'];
      await ffmpeg('-i', whole, ...reordered, '-video_track_timescale', `${scale}`, clip);
      const layers = [{ duration: 'media' }, {}, { loop: true }, { loop: true, duration: 40 / fps }];
      columns.push(...layers.map((layer): [string, object] => [clip, layer]));
    }
    const found = await shownTogether(folder, columns, { fps, duration: 2 });
    for (const [index, scale] of scales.entries()) {
      const [once, stays, rounds, turn] = found.slice(4 * index, 4 * index + 4);
      const all = count(2 * fps, (n) => (n < 20 ? n : null));
      t.deepEqual(once, all, `${scale}, once`);
      t.deepEqual(stays?.slice(18, 22), [18, 19, 19, 19], `${scale}, its last frame stays`);
      t.deepEqual(
        rounds,
        count(2 * fps, (n) => n % 20),
        `${scale}, in every turn`,
      );
      t.deepEqual(turn?.slice(36, 40), [16, 17, 18, 19], `${scale}, up to a full turn`);
    }
  }
});

/** An MP4 whose video track plays these parts of its frames: [first, number], at 30 fps. */
const withEdits = async (from: string, to: string, edits: readonly (readonly [number, number])[]): Promise<string> => {
  const bytes = await readFile(from);
  const at = bytes.indexOf('elst') - 4;
  const scale = bytes.readUInt32BE(bytes.indexOf('mdhd') + 16);
  const shift = bytes.readInt32BE(at + 20);
  const list = Buffer.alloc(16 + 12 * edits.length);
  list.writeUInt32BE(list.length);
  list.write('elst', 4);
  list.writeUInt32BE(edits.length, 12);
  for (const [index, [first, frames]] of edits.entries()) {
    list.writeUInt32BE(Math.round((frames * 1000) / 30), 16 + 12 * index);
    list.writeInt32BE(shift + (first * scale) / 30, 20 + 12 * index);
    list.writeUInt32BE(0x10000, 24 + 12 * index);
  }
  const grown = list.length - bytes.readUInt32BE(at);
  for (const box of ['moov', 'trak', 'edts']) {
    const size = bytes.indexOf(box) - 4;
    bytes.writeUInt32BE(bytes.readUInt32BE(size) + grown, size);
  }
  await writeFile(to, Buffer.concat([bytes.subarray(0, at), list, bytes.subarray(at + bytes.readUInt32BE(at))]));
  return to;
};

test('an MP4 with two edits shows the frames of one after the other', async (t) => {
  const folder = await folderOf(t);
  const film = await numbered(folder, 'film.mp4', '30', 60);
  const edited = await withEdits(film, join(folder, 'edited.mp4'), [
    [6, 12],
    [30, 15],
  ]);
  const frames = (n: number): number => (n < 12 ? 6 + n : Math.min(44, 30 + n - 12));
  const [whole, trimmed] = await shownTogether(folder, [
    [edited, {}],
    [edited, { trim_start: 0.5 }],
  ]);
  t.deepEqual(whole, count(30, frames));
  t.deepEqual(
    trimmed,
    count(30, (n) => frames(n + 15)),
  );
});

/**
 * Shows a clip with a white frame and a tone at frames 14, 35 and 56 (30 fps), by layers whose times are in
 * milliseconds. Returns the frame of each flash and the second of each tone.
 */
const clapped = async (folder: string, engine: number): Promise<readonly { picture: number; sound: number }[]> => {
  const clip = join(folder, 'clap.mov');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', "color=black:s=64x36:r=30:d=3,geq=lum='if(eq(N,30),235,16)':cb=128:cr=128"],
    ...['-f', 'lavfi', '-i', "aevalsrc='if(between(t,1,1.03),0.6*sin(2*PI*2000*t),0)':d=3:s=48000"],
    ...['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'pcm_s16le', clip],
  );
  const starts = [0.467, 1.167, 1.867];
  const layers = starts.map((start) => ({
    ...{ id: `at_${start * 1000}`, type: 'video', asset: 'clip', trim_start: 1 },
    ...{ start, duration: 0.233 },
  }));
  const final = finalOf({ duration: 3, layers }, [{ id: 'clip', kind: 'video' }], [], engine);
  const { master } = await rendered(optionsOf(final, join(folder, `out${engine}`), { clip }));
  const frames = await bandsOf(master);
  const samples = await samplesOf(master);
  return starts.map((start) => {
    const from = Math.round((start - 0.05) * 48_000) * 2;
    const near = Math.round(start * 30) - 2;
    return {
      picture: near + frames.slice(near, near + 6).findIndex((frame) => (pixelAt(frame, 320, 160, 8)[0] ?? 0) > 200),
      sound: (from + samples.subarray(from).findIndex((sample) => Math.abs(sample) > 0.15)) / 2 / 48_000,
    };
  });
};

test('starts in milliseconds put picture and sound on the frame they were rounded from', async (t) => {
  const folder = await folderOf(t);
  for (const [index, { picture, sound }] of (await clapped(folder, ENGINE_VERSION)).entries()) {
    const frame = 14 + 21 * index;
    t.is(picture, frame);
    t.true(Math.abs(sound - frame / 30) < 0.001, `the tone begins at ${sound} s`);
  }
});

test('an older project keeps the frames of its times in milliseconds', async (t) => {
  const pictures = (await clapped(await folderOf(t), 5)).map(({ picture }) => picture);
  t.deepEqual(pictures, [15, 36, 57], 'the first frames that are not before the start');
});

test('a film of one rotated clip is upright without a rotation tag', async (t) => {
  const folder = await folderOf(t);
  const flat = join(folder, 'flat.mp4');
  const clip = join(folder, 'clip.mp4');
  await ffmpeg('-f', 'lavfi', '-i', 'color=c=red:s=36x64:r=30:d=1,pad=72:64:36', '-c:v', 'libx264', flat);
  await ffmpeg('-i', flat, '-c', 'copy', '-metadata:s:v', 'rotate=90', clip);
  const layers = [{ id: 'v', type: 'video', asset: 'clip', fit: 'fill' }];
  for (const loop of [false, true]) {
    const final = finalOf({ layers: [{ ...layers[0], loop }] }, [{ id: 'clip', kind: 'video' }]);
    const { master } = await rendered(optionsOf(final, join(folder, `out-${loop}`), { clip }));
    const [frame] = await framesOf(master, 320, 180, [0]);
    for (const x of [20, 300]) {
      const [above, below] = [pixelAt(frame, 320, x, 20), pixelAt(frame, 320, x, 160)];
      t.true((above[0] ?? 0) > 200 && (below[0] ?? 255) < 30, `${above} above ${below}`);
    }
  }
});
