import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { probe } from '../../../engine/media/probe.ts';
import { openRasterProcess } from '../../../engine/raster/raster-process.ts';
import { limitsOf } from '../../helpers/sandbox.ts';
import { ffmpeg, folderOf } from './_measuring.ts';

const probed = async (path: string, kind: 'video' | 'audio') => {
  const rasterProcess = openRasterProcess(
    { assets: new Map([['source', path]]), families: new Map(), folder: null },
    () => limitsOf(),
  );
  const probes = { ffprobe_path: process.env.FFPROBE_PATH ?? 'ffprobe', inspector: rasterProcess };
  return await probe({ id: 'source', kind, path }, probes, limitsOf());
};

const factsOf = async (path: string, kind: 'video' | 'audio') => {
  const found = await probed(path, kind);
  if (E.isLeft(found)) throw new Error(JSON.stringify(found.left));
  return found.right;
};
const lengthsOf = async (path: string) => {
  const facts = await factsOf(path, 'video');
  return facts.kind === 'video' ? { picture: facts.duration_s, sound: facts.sound_duration_s } : null;
};

test('the frames of a source give its length, whatever the container says', async (t) => {
  const folder = await folderOf(t);
  const at = (name: string) => join(folder, name);
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=s=64x64:r=30000/1001:d=3.003', '-f', 'lavfi', '-i', 'sine=d=2'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', at('a.mp4')],
  );
  t.deepEqual(await lengthsOf(at('a.mp4')), { picture: 3.003, sound: 2 });

  const copy = async (name: string, ...options: readonly string[]) => {
    await ffmpeg('-i', at('a.mp4'), '-c', 'copy', ...options, at(name));
    return await lengthsOf(at(name));
  };
  const near = (found: { picture: number; sound: number } | null, name: string) => {
    t.true(Math.abs((found?.picture ?? 0) - 3.003) < 0.05, `${name}: ${found?.picture}`);
    t.true(Math.abs((found?.sound ?? 0) - 2) < 0.1, `${name}: ${found?.sound}`);
  };
  near(await copy('a.mkv'), 'Matroska');
  near(await copy('a.ts'), 'MPEG-TS, which begins at 1.4 s');
  near(await copy('fragments.mp4', '-movflags', 'frag_keyframe+empty_moov'), 'fragments');
  near(await copy('live.mkv', '-live', '1'), 'Matroska without a length');

  // The length in the header, a double after its id and size, becomes a million times as long.
  const lying = await readFile(at('a.mkv'));
  const duration = lying.indexOf(Buffer.from('448988', 'hex')) + 3;
  lying.writeDoubleBE(lying.readDoubleBE(duration) * 1e6, duration);
  await writeFile(at('lying.mkv'), lying);
  near(await lengthsOf(at('lying.mkv')), 'Matroska that lies');

  await ffmpeg('-i', at('a.mp4'), '-vn', at('a.mp3'));
  const sound = await factsOf(at('a.mp3'), 'audio');
  t.true(sound.kind === 'audio' && Math.abs(sound.duration_s - 2) < 0.1, JSON.stringify(sound));
});

test('the length of an MP4 does not depend on its time scale', async (t) => {
  const folder = await folderOf(t);
  for (const [scale, rate, frames] of [
    [1, '1', 4],
    [24, '24', 48],
    [30, '30', 60],
    [600, '30', 60],
    [600, '24', 48],
    [600, '60', 60],
    [1000, '30', 60],
    [2997, '30000/1001', 60],
    [12_800, '25', 50],
    [90_000, '60', 60],
  ] as const) {
    const path = join(folder, `${scale}-${rate.replace('/', '-')}.mov`);
    const [n = 1, of = 1] = rate.split('/').map(Number);
    await ffmpeg(
      ...['-f', 'lavfi', '-i', `testsrc2=s=64x64:r=${rate}`, '-frames:v', String(frames), '-c:v', 'libx264'],
      ...['-preset', 'veryfast', '-video_track_timescale', String(scale), path],
    );
    const wanted = (frames * of) / n;
    const found = (await lengthsOf(path))?.picture ?? 0;
    t.true(Math.abs(found - wanted) <= 1 / scale / 2 + 1e-6, `${scale}, ${rate}: ${found}, not ${wanted}`);
  }
});

test('only the end of a large MP4 is read, and missing parts are found', async (t) => {
  const folder = await folderOf(t);
  const path = join(folder, 'large.mp4');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'color=s=16x16:r=10:d=100', '-f', 'lavfi', '-i', 'anoisesrc=d=60:r=48000'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'pcm_s16le', '-ac', '1', '-movflags', '+faststart'],
    ...['-f', 'mov', path],
  );
  t.true((await stat(path)).size > 5 * 1024 ** 2);
  t.deepEqual(await lengthsOf(path), { picture: 100, sound: 60 });

  const whole = await readFile(path);
  await writeFile(path, whole.subarray(0, whole.length - 100_000));
  const cut = await probed(path, 'video');
  t.like(cut, {
    left: {
      message: 'the video "source" is cut off: it ends before the time in its header; copy or download it again',
    },
  });
});

test('a probe lists key frames: 0.5 s apart, or the last before each second', async (t) => {
  const folder = await folderOf(t);
  const large = join(folder, 'large.mp4');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'color=s=16x16:r=10:d=100', '-f', 'lavfi', '-i', 'anoisesrc=d=100:r=48000'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '1000', '-force_key_frames', '7,42.5,42.7,43.5,90'],
    ...['-c:a', 'pcm_s16le', '-ac', '1', '-f', 'mov', large],
  );
  t.true((await stat(large)).size > 5 * 1024 ** 2);
  const small = join(folder, 'small.mkv');
  await ffmpeg('-i', large, '-an', '-c:v', 'copy', small);
  const keyFramesOf = async (path: string) => {
    const facts = await factsOf(path, 'video');
    return facts.kind === 'video' ? facts.key_frames_s : null;
  };
  t.deepEqual(await keyFramesOf(large), [0, 7, 42.7, 43.5, 90]);
  t.deepEqual(await keyFramesOf(small), [0, 7, 42.5, 43.5, 90], 'none within half a second of another one');
});

test('the sound of a WebM starts with its picture, by timestamps and Opus priming', async (t) => {
  const folder = await folderOf(t);
  for (const codec of ['libopus', 'libvorbis']) {
    const path = join(folder, `${codec}.webm`);
    await ffmpeg(
      ...['-f', 'lavfi', '-i', 'color=s=64x64:r=30:d=2', '-f', 'lavfi', '-i', "aevalsrc='gte(t,1)*sin(6283*t)/2':d=2"],
      ...['-c:v', 'libvpx', '-c:a', codec, path],
    );
    const facts = await factsOf(path, 'video');
    if (facts.kind !== 'video') return t.fail();
    const from = `atrim=start=${facts.sound_starts_s},asetpts=PTS-${facts.sound_starts_s}/TB,aresample=48000:first_pts=0`;
    const heard = await ffmpeg('-copyts', '-i', path, '-vn', '-af', from, '-ac', '1', '-f', 'f32le', '-');
    const samples = Array.from({ length: heard.length / 4 }, (_, n) => heard.readFloatLE(4 * n));
    const onset_ms = samples.findIndex((sample) => Math.abs(sample) > 0.1) / 48;
    t.true(Math.abs(onset_ms - 1000) < 1.5, `${codec}: ${onset_ms}`);
  }
});

const withBox = (movie: Buffer, entry: string, box: Buffer): Buffer => {
  const parents = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd', entry].map((type) => movie.lastIndexOf(type) - 4);
  const end = (parents.at(-1) ?? 0) + movie.readUInt32BE(parents.at(-1) ?? 0);
  for (const at of parents) movie.writeUInt32BE(movie.readUInt32BE(at) + box.length, at);
  return Buffer.concat([movie.subarray(0, end), box, movie.subarray(end)]);
};

/** Dolby's configuration record: a base layer and its metadata, at level 3. */
const dolbyBox = (profile: number, compatibility: number): Buffer => {
  const box = Buffer.alloc(32);
  box.writeUInt32BE(box.length, 0);
  box.write(profile > 7 ? 'dvvC' : 'dvcC', 4, 'latin1');
  box.writeUInt8(1, 8);
  box.writeUInt16BE((profile << 9) | (3 << 3) | 0b101, 10);
  box.writeUInt8(compatibility << 4, 12);
  return box;
};

test('DV is interlaced, although its header does not say the field order', async (t) => {
  const path = join(await folderOf(t), 'camcorder.avi');
  const dv = ['-c:v', 'dvvideo', '-s', '720x576', '-pix_fmt', 'yuv420p', '-flags', '+ilme+ildct'];
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=720x576:r=25:d=0.2', ...dv, path);
  t.like(await factsOf(path, 'video'), { interlaced: true });
});

test('Dolby Vision without a compatible base layer is refused by name', async (t) => {
  const folder = await folderOf(t);
  const path = join(folder, 'plain.mp4');
  const source = 'testsrc2=s=64x64:r=25:d=0.2,format=yuv420p10le';
  await ffmpeg(
    '-f',
    'lavfi',
    '-i',
    source,
    '-c:v',
    'libx265',
    '-x265-params',
    'log-level=error',
    '-tag:v',
    'hvc1',
    path,
  );
  for (const [profile, compatibility, refused] of [
    [5, 0, true],
    [8, 1, false],
    [8, 4, false],
    [10, 0, true],
    [10, 1, false],
  ] as const) {
    const dolby = join(folder, `${profile}-${compatibility}.mp4`);
    await writeFile(dolby, withBox(await readFile(path), 'hvc1', dolbyBox(profile, compatibility)));
    const found = await probed(dolby, 'video');
    const name = `profile ${profile}, compatibility ${compatibility}`;
    if (!refused) t.true(E.isRight(found), name);
    else
      t.like(
        found,
        {
          left: {
            code: 'unreadable_media',
            field: 'assets.source',
            message: `the video "source" is in Dolby Vision profile ${profile}, which is not supported: export it as HDR10, HLG or SDR`,
          },
        },
        name,
      );
  }
});
