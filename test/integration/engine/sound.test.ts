import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { mixSound, type SoundMixOptions } from '../../../engine/encode/sound-run.ts';
import { probe } from '../../../engine/media/probe.ts';
import type { AudioClip, SoundFade } from '../../../engine/scene/sound-step.ts';
import { cases, IN_FULL } from '../../helpers/runs.ts';
import { limitsOf } from '../../helpers/sandbox.ts';
import { RATE, soundStep } from '../../helpers/sound-steps.ts';
import { ffmpeg, folderOf, levelOf, samplesOf } from './_measuring.ts';

const long = IN_FULL ? test : test.skip;

const tone = async (folder: string, name: string, source: string, ...rest: readonly string[]): Promise<string> => {
  const path = join(folder, name);
  await ffmpeg('-f', 'lavfi', '-i', source, ...rest, path);
  return path;
};

type Step = Partial<AudioClip> & { readonly asset: string };

const seconds = (s: number): number => Math.round(s * RATE);
const linear = (s: number): SoundFade => ({ samples: seconds(s), curve: 'equal_gain' });
const THIRTY = { num: 30, den: 1 };
const NTSC = { num: 30_000, den: 1001 };

const soundOf = async (
  t: ExecutionContext,
  folder: string,
  steps: readonly Step[],
  duration_s: number,
  assets: Readonly<Record<string, string>>,
  held: { readonly loops_bytes?: number } = {},
): Promise<string> => {
  const file = join(folder, 'sound.m4a');
  await rm(file, { force: true });
  const before = await readdir(folder);
  const options: SoundMixOptions = {
    scene: { sound: steps.map(soundStep), samples: Math.round(duration_s * RATE), hashes: {} },
    ...{ file, folder, assets: new Map(Object.entries(assets)), ffmpeg_path: process.env.FFMPEG_PATH ?? 'ffmpeg' },
    ...held,
  };
  t.deepEqual(await mixSound(options, limitsOf()), E.right(undefined));
  t.deepEqual((await readdir(folder)).sort(), [...new Set([...before, 'sound.m4a'])].sort(), 'no other file is left');
  return file;
};

const left = (samples: Float32Array): Float32Array => {
  const channel = new Float32Array(samples.length / 2);
  for (let n = 0; n < channel.length; n += 1) channel[n] = samples[2 * n] ?? 0;
  return channel;
};

const onsetAfter = (channel: Float32Array, from = 0): number => {
  const found = channel.subarray(from).findIndex((sample) => Math.abs(sample) > 0.02);
  return found === -1 ? -1 : from + found;
};

const near = (t: ExecutionContext, found: number, wanted: number, most: number, what: string): void => {
  t.true(Math.abs(found - wanted) <= most, `${what}: ${found}, not ${wanted}`);
};

const pitchOf = (channel: Float32Array, from_s: number, until_s: number): number => {
  const part = channel.subarray(from_s * RATE, until_s * RATE);
  let rises = 0;
  for (let n = 1; n < part.length; n += 1) if ((part[n - 1] ?? 0) < 0 && (part[n] ?? 0) >= 0) rises += 1;
  return rises / (until_s - from_s);
};

const streamOf = async (file: string) => {
  const shown = ['-show_entries', 'stream=codec_name,sample_rate,channels,start_pts,duration_ts', '-of', 'json'];
  const { stdout } = await execa('ffprobe', ['-v', 'error', ...shown, file]);
  return JSON.parse(stdout).streams;
};

test('silence has its exact length, even an odd one', async (t) => {
  const folder = await folderOf(t);
  for (const samples of cases([1, 1601, 48_000, 100_001], (one) => one % 1601 !== 0)) {
    const file = await soundOf(t, folder, [], samples / RATE, {});
    t.deepEqual(await streamOf(file), [
      { codec_name: 'aac', sample_rate: '48000', channels: 2, start_pts: 0, duration_ts: samples },
    ]);
    t.true(levelOf(await samplesOf(file), 0, samples / RATE) < -100);
  }
});

test('music keeps its level after a clip, and a voice its time and level', async (t) => {
  const folder = await folderOf(t);
  const bed = await tone(folder, 'bed.wav', 'sine=frequency=440:duration=5:sample_rate=44100', '-ac', '2');
  const hit = await tone(folder, "it's a hit.mp3", 'sine=frequency=1000:duration=0.4:sample_rate=44100', '-ac', '1');
  const steps: readonly Step[] = [
    { asset: 'bed', samples: seconds(3) },
    { asset: 'hit', starts_at_sample: RATE, samples: seconds(0.3) },
    { asset: 'hit', starts_at_sample: RATE, samples: seconds(1), volume: 0 },
    { asset: 'bed', trim_start_s: 2.5, starts_at_sample: 3.5 * RATE, samples: seconds(1), volume: 0.5 },
  ];
  const samples = await samplesOf(await soundOf(t, folder, steps, 5, { bed, hit }));
  const before = levelOf(samples, 0.2, 0.8);
  near(t, levelOf(samples, 1.5, 2.9), before, 0.2, 'the bed after the clip');
  t.true(levelOf(samples, 1.05, 1.25) > before + 1, 'bed and clip together');
  t.true(levelOf(samples, 3.05, 3.45) < -60, 'silence in between');
  near(t, levelOf(samples, 3.6, 4.4), before - 6.02, 0.2, 'half the volume');
  near(t, onsetAfter(left(samples), 3.4 * RATE), 3.5 * RATE, 100, 'the second one begins');
});

test('fades cover the whole layer, in and out', async (t) => {
  const folder = await folderOf(t);
  const bed = await tone(folder, 'bed.wav', 'sine=frequency=440:duration=5', '-ac', '2');
  const steps: readonly Step[] = [{ asset: 'bed', samples: seconds(4), fade_in: linear(2), fade_out: linear(1) }];
  const samples = await samplesOf(await soundOf(t, folder, steps, 4, { bed }));
  const full = levelOf(samples, 2.2, 2.8);
  near(t, levelOf(samples, 0.98, 1.02), full - 6.02, 0.4, 'half way in');
  near(t, levelOf(samples, 3.48, 3.52), full - 6.02, 0.4, 'half way out');
});

test('a cross-fade keeps the power of different sounds, and the level of equal ones', async (t) => {
  const folder = await folderOf(t);
  const assets = {
    low: await tone(folder, 'low.wav', 'sine=frequency=440:duration=5'),
    high: await tone(folder, 'high.wav', 'sine=frequency=1230:duration=5'),
  };
  const fades = [
    ['low', 'high', 'equal_power'],
    ['low', 'high', 'equal_gain'],
    ['low', 'low', 'equal_gain'],
  ] as const;
  // The cases play one after the other, five seconds each.
  const steps = fades.flatMap(([one, other, curve], n): readonly Step[] => {
    const fade: SoundFade = { samples: seconds(2), curve };
    return [
      { asset: one, starts_at_sample: seconds(5 * n), samples: seconds(3), fade_out: fade },
      { asset: other, starts_at_sample: seconds(5 * n + 1), samples: seconds(4), fade_in: fade },
    ];
  });
  const samples = await samplesOf(await soundOf(t, folder, steps, 15, assets));
  const goingOver = (n: number): readonly number[] => {
    const before = levelOf(samples, 5 * n + 0.2, 5 * n + 0.8);
    return [1.5, 2, 2.5, 3.5].map((at_s) => levelOf(samples, 5 * n + at_s - 0.1, 5 * n + at_s + 0.1) - before);
  };
  for (const level of goingOver(0)) near(t, level, 0, 0.2, 'of equal power');
  near(t, goingOver(1)[1] ?? 0, -3, 0.2, 'of equal gain, in the middle');
  for (const level of goingOver(2)) near(t, level, 0, 0.2, 'the same of equal gain');
});

test('mono is as loud as stereo, and more channels mix down as in ffmpeg', async (t) => {
  const folder = await folderOf(t);
  const one = '0.1*sin(2*PI*440*t)';
  const layouts = { mono: 1, stereo: 2, '5.1': 6, quad: 4, '7.1': 8 };
  const levels: Record<string, number> = {};
  const files: Record<string, string> = {};
  for (const [layout, channels] of Object.entries(layouts)) {
    const all = Array.from({ length: channels }, () => one).join('|');
    files[layout] = await tone(folder, `${layout}.wav`, `aevalsrc='${all}':d=2:s=48000:c=${layout}`);
  }
  const steps = Object.keys(layouts).map(
    (asset, n): Step => ({ asset, starts_at_sample: seconds(2 * n), samples: seconds(2) }),
  );
  const mixed = await samplesOf(await soundOf(t, folder, steps, 2 * steps.length, files));
  for (const [n, [layout, channels]] of Object.entries(layouts).entries()) {
    levels[layout] = levelOf(mixed, 2 * n + 0.2, 2 * n + 1.8);
    if (channels > 2) {
      const as_stereo = await samplesOf(files[layout] ?? '', '-af', 'aformat=sample_fmts=fltp:channel_layouts=stereo');
      near(t, levels[layout] ?? 0, levelOf(as_stereo, 0.2, 1.8), 0.1, layout);
    }
  }
  near(t, levels.mono ?? 0, levels.stereo ?? 0, 0.05, 'one channel');
  near(t, levels.stereo ?? 0, 20 * Math.log10(0.1 / Math.SQRT2), 0.1, 'two channels');
});

test('a beat in a faster or slower sound keeps its exact time', async (t) => {
  const folder = await folderOf(t);
  const struck = (gap_s: number) => `0.6*sin(2*PI*3000*t)*lt(mod(t,${gap_s}),0.02)`;
  const MUSIC = '+0.2*sin(2*PI*330*t)+0.15*sin(2*PI*495*t)';
  const speeds = cases([0.5, 0.75, 1.25, 1.5, 2], (speed) => speed !== 0.75 && speed !== 1.5);
  const all = speeds.flatMap((speed) => ['', MUSIC].map((bed) => ({ speed, bed })));
  const files: Record<string, string> = {};
  for (const [index, { speed, bed }] of all.entries())
    files[`struck-${index}`] = await tone(
      folder,
      `struck-${index}.wav`,
      `aevalsrc='${struck(speed)}${bed}':d=${5 * speed}:s=48000`,
    );
  // The cases play one after the other, five seconds each.
  const steps = all.map(
    ({ speed }, index): Step => ({
      ...{ asset: `struck-${index}`, speed },
      ...{ starts_at_sample: seconds(5 * index), samples: seconds(5) },
    }),
  );
  const file = await soundOf(t, folder, steps, 5 * all.length, files);
  const struck_at = left(await samplesOf(file, '-af', 'highpass=f=2500,highpass=f=2500'));
  for (const [index, { speed, bed }] of all.entries()) {
    const channel = struck_at.subarray(seconds(5 * index), seconds(5 * index + 5));
    for (let n = 1; n < 5; n += 1) {
      const around = channel.subarray(seconds(n - 0.1), seconds(n + 0.1));
      const loudest = around.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      const found = around.findIndex((sample) => Math.abs(sample) > loudest / 3);
      near(t, (found - seconds(0.1)) / 48, 0, 5, `ms, of ${n} at ${speed}${bed === '' ? '' : ', in music'}`);
    }
  }
});

long('a faster or slower sound keeps its pitch and is as much shorter or longer', async (t) => {
  const folder = await folderOf(t);
  const assets: Record<string, string> = {};
  for (const [speed, length_s] of [
    [0.1, 0.2],
    [0.75, 1.5],
    [2, 4],
    [10, 20],
  ] as const) {
    const name = `tone-${speed}`;
    assets[name] = await tone(folder, `${name}.wav`, `sine=frequency=500:duration=${length_s}`, '-ac', '2');
    const samples = await samplesOf(await soundOf(t, folder, [{ asset: name, speed, samples: seconds(3) }], 4, assets));
    near(t, pitchOf(left(samples), 0.5, 1.5), 500, 12, `the pitch at ${speed}`);
    t.true(levelOf(samples, 0.1, 1.9) > -25, `it sounds to its end at ${speed}`);
    t.true(levelOf(samples, 2.1, 3.9) < -60, `it ends after 2 s at ${speed}`);
  }
});

/** A short tone at the start and silence up to `length_s`. */
const click = (folder: string, length_s: number) =>
  tone(folder, 'click.wav', `aevalsrc='0.8*sin(2*PI*2000*t)*lt(t,0.01)':d=${length_s}:s=48000`, '-ac', '2');

test('a loop keeps the exact period of its frames to the end', async (t) => {
  const folder = await folderOf(t);
  const assets = { click: await click(folder, 0.21) };
  // Long enough that a period rounded to samples would exceed the tolerance below.
  const loops = [
    [THIRTY, 7, 9],
    [NTSC, 7, 59],
    [{ num: 29_971, den: 1000 }, 6, 39],
  ] as const;
  for (const [fps, body, length_s] of cases(loops, ([, , length]) => length !== 59)) {
    const steps: readonly Step[] = [
      {
        asset: 'click',
        loop_samples: (body * fps.den * RATE) / fps.num,
        starts_at_sample: 4800,
        samples: seconds(length_s),
      },
    ];
    const samples = await samplesOf(await soundOf(t, folder, steps, length_s + 1, assets));
    const channel = left(samples);
    const period = (body * fps.den * RATE) / fps.num;
    const turns = Math.floor((length_s * RATE) / period);
    for (let turn = 0; turn < turns; turn += 1) {
      const wanted = 4800 + turn * period;
      near(t, onsetAfter(channel, Math.round(wanted - 1000)), wanted, 40, `turn ${turn} at ${fps.num}/${fps.den}`);
    }
    t.true(levelOf(samples, length_s + 0.2, length_s + 1) < -60, 'and ends with its layer');
  }
});

test('a loop too large for memory is read again, and fades cover all repetitions', async (t) => {
  const folder = await folderOf(t);
  const body = await tone(folder, 'body.flac', "aevalsrc='0.5*sin(2*PI*300*t)*gte(t,0.5)':d=2:s=48000");
  const steps: readonly Step[] = [{ asset: 'body', loop_samples: 2 * RATE, samples: seconds(9), fade_in: linear(8) }];
  const samples = await samplesOf(await soundOf(t, folder, steps, 10, { body }, { loops_bytes: 0 }));
  const full = levelOf(samples, 8.6, 8.9);
  for (const at_s of [1.5, 3.5, 5.5]) {
    near(t, levelOf(samples, at_s - 0.1, at_s + 0.1), full + 20 * Math.log10(at_s / 8), 0.2, `the level at ${at_s} s`);
    near(t, onsetAfter(left(samples), seconds(at_s - 1.2)), seconds(at_s - 1), 100, `the turn before ${at_s} s`);
  }
  t.true(levelOf(samples, 9.1, 10) < -60, 'it ends with its layer');
});

test('a sound with a late start or gaps in its file keeps its times', async (t) => {
  const folder = await folderOf(t);
  const late = join(folder, 'late.mkv');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'color=c=black:s=64x36:r=30:d=3'],
    ...['-f', 'lavfi', '-itsoffset', '0.75', '-i', 'sine=frequency=1000:duration=1:sample_rate=44100'],
    ...['-c:v', 'libx264', '-c:a', 'pcm_s16le', late],
  );
  const gap = join(folder, 'gap.mkv');
  const cut = "aselect='lt(t,0.5)+gte(t,1.5)'";
  await ffmpeg('-f', 'lavfi', '-i', 'sine=frequency=1000:duration=2', '-af', cut, '-c:a', 'pcm_s16le', gap);
  const steps: readonly Step[] = [
    { asset: 'late', track: 1, trim_start_s: 0.25, samples: seconds(2) },
    { asset: 'gap', starts_at_sample: 2 * RATE, samples: seconds(2) },
  ];
  const samples = await samplesOf(await soundOf(t, folder, steps, 4, { late, gap }));
  near(t, onsetAfter(left(samples)), 0.5 * RATE, 100, 'the late one');
  t.true(levelOf(samples, 2.1, 2.4) > -25 && levelOf(samples, 2.6, 3.4) < -60 && levelOf(samples, 3.6, 3.9) > -25);
  near(t, onsetAfter(left(samples), 2.7 * RATE), 3.5 * RATE, 1100, 'what follows the gap');
});

long('a place far inside a file is found exactly, whatever the file', async (t) => {
  const folder = await folderOf(t);
  const clicks = "aevalsrc='0.8*sin(2*PI*1000*t)*between(mod(t,300),299,299.1)':d=305:s=22050";
  const codecs: Readonly<Record<string, readonly string[]>> = {
    wav: ['-c:a', 'pcm_s16le'],
    flac: ['-c:a', 'flac'],
    mp3: ['-c:a', 'libmp3lame', '-q:a', '6'],
    m4a: ['-c:a', 'aac', '-b:a', '64k'],
    ogg: ['-c:a', 'libvorbis'],
    mkv: ['-c:a', 'libopus', '-b:a', '32k'],
  };
  const assets: Record<string, string> = {};
  for (const [format, codec] of Object.entries(codecs)) {
    assets[format] = await tone(folder, `far.${format}`, clicks, ...codec);
    const file_starts_s = format === 'mp3' ? 0.05 : 0;
    const steps: readonly Step[] = [{ asset: format, file_starts_s, trim_start_s: 298.25, samples: seconds(2) }];
    const channel = left(await samplesOf(await soundOf(t, folder, steps, 2, assets)));
    near(t, onsetAfter(channel), seconds(0.75), 250, format);
  }
});

test('a part that starts after the end of its file is silent', async (t) => {
  const folder = await folderOf(t);
  const assets: Record<string, string> = {};
  const steps: Step[] = [];
  for (const format of ['wav', 'mp3', 'm4a', 'flac', 'ogg', 'mkv']) {
    assets[format] = await tone(
      folder,
      `short.${format}`,
      'sine=duration=2',
      ...(format === 'ogg' ? ['-c:a', 'libvorbis'] : []),
    );
    steps.push({ asset: format, trim_start_s: 50, samples: seconds(2) });
    steps.push({ asset: format, trim_start_s: 2.5, loop_samples: RATE / 10, samples: seconds(2) });
  }
  t.true(levelOf(await samplesOf(await soundOf(t, folder, steps, 2, assets)), 0, 2) < -80);
});

test('two hundred voices are audible, with few files open at a time', async (t) => {
  const folder = await folderOf(t);
  const assets = { click: await click(folder, 0.02) };
  const steps = Array.from({ length: 200 }, (_, n): Step => {
    const together = n < 100 ? 0 : (n - 99) * 4800;
    return { asset: 'click', starts_at_sample: together, samples: seconds(0.02), volume: n < 100 ? 0.01 : 1 };
  });
  const channel = left(await samplesOf(await soundOf(t, folder, steps, 11, assets)));
  for (let n = 0; n <= 100; n += 1)
    near(t, onsetAfter(channel, Math.max(0, n * 4800 - 1000)), n * 4800, 40, `click ${n}`);
});

/** The true peak of a file in dB relative to full scale, by EBU R 128. */
const truePeakOf = async (file: string): Promise<number> => {
  const { stderr } = await execa('ffmpeg', ['-nostats', '-i', file, '-af', 'ebur128=peak=true', '-f', 'null', '-']);
  return Number(/True peak:\s+Peak:\s+(-?[0-9.]+) dBFS/.exec(stderr)?.[1]);
};

test('too loud a sound is limited to -1 dB true peak, even after encoding', async (t) => {
  const folder = await folderOf(t);
  // Its samples are 3 dB below the peaks between them.
  const between = "aevalsrc='sin(2*PI*12000*t+PI/4)':d=2:s=48000";
  const assets = {
    loud: await tone(folder, 'loud.wav', "aevalsrc='0.9*sin(2*PI*200*t)':d=2:s=48000", '-ac', '2'),
    between: await tone(folder, 'between.wav', between, '-ac', '2', '-c:a', 'pcm_f32le'),
    // AAC decodes such noise with peaks above full scale.
    pink: await tone(folder, 'pink.wav', 'anoisesrc=c=pink:d=5:r=48000:a=1:seed=1', '-ac', '2'),
    white: await tone(folder, 'white.wav', 'anoisesrc=c=white:d=5:r=48000:a=1:seed=1', '-ac', '2'),
    chord: await tone(
      folder,
      'chord.wav',
      "aevalsrc='0.4*sin(2*PI*220*t)+0.4*sin(2*PI*277.2*t)+0.4*sin(2*PI*329.6*t)+0.3*sin(2*PI*4000*t)*lt(mod(t,0.25),0.02)':d=2:s=48000",
      ...['-ac', '2'],
    ),
  };
  for (const steps of [
    [1, 2, 3].map(() => ({ asset: 'loud', samples: seconds(2), volume: 2 })),
    [{ asset: 'between', samples: seconds(2) }],
    [{ asset: 'chord', samples: seconds(2), volume: 3 }],
    [{ asset: 'pink', samples: seconds(2), volume: 3 }],
    [{ asset: 'white', samples: seconds(2), volume: 3 }],
  ]) {
    const file = await soundOf(t, folder, steps, 2, assets);
    const [peak, level] = [await truePeakOf(file), levelOf(await samplesOf(file), 0.2, 1.8)];
    t.true(peak <= -1, `${steps[0]?.asset}: ${peak} dBTP`);
    t.true(level > -15, `${steps[0]?.asset}: ${level} dB`);
  }
});

test('a sound below the limit is unchanged', async (t) => {
  const folder = await folderOf(t);
  const pitches = [100, 1000, 10_000, 18_000];
  const files: Record<string, string> = {};
  for (const hz of pitches)
    files[hz] = await tone(
      folder,
      `quiet-${hz}.wav`,
      `aevalsrc='0.3*sin(2*PI*${hz}*t)|0.3*sin(2*PI*${hz}*t)':d=2:s=48000`,
    );
  const steps = pitches.map(
    (hz, n): Step => ({ asset: `${hz}`, starts_at_sample: seconds(2 * n), samples: seconds(2) }),
  );
  const samples = await samplesOf(await soundOf(t, folder, steps, 2 * pitches.length, files));
  for (const [n, hz] of pitches.entries())
    near(t, levelOf(samples, 2 * n + 0.5, 2 * n + 1.5), 20 * Math.log10(0.3 / Math.SQRT2), 0.1, `${hz} Hz`);
});

/** The lowest peak within 2.5 ms, and the largest step between two samples. */
const evennessOf = (channel: Float32Array, from: number, until: number) => {
  let [quietest, steepest] = [1, 0];
  for (let n = from; n < until; n += 120) {
    const part = channel.subarray(n, n + 120);
    const loudest = part.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    quietest = Math.min(quietest, loudest);
    steepest = part.reduce((most, sample, i) => Math.max(most, Math.abs(sample - (part[i - 1] ?? sample))), steepest);
  }
  return { quietest, steepest };
};

test('a looped sound has no gap and no click between repetitions', async (t) => {
  const folder = await folderOf(t);
  // The sound lasts exactly 876 periods of this tone, so the loop has no jump.
  const hz = 876 / 1.9909;
  const hum = await tone(folder, 'hum.wav', `aevalsrc='0.5*sin(2*PI*${hz}*t)|0.5*sin(2*PI*${hz}*t)':d=1.9909:s=48000`);
  const steps: readonly Step[] = [{ asset: 'hum', loop_samples: 1.9909 * RATE, samples: seconds(12) }];
  const channel = left(await samplesOf(await soundOf(t, folder, steps, 12, { hum })));
  const { quietest, steepest } = evennessOf(channel, seconds(0.1), seconds(11.9));
  t.true(quietest > 0.45, `${quietest}`);
  t.true(steepest < 0.04, `${steepest}`);
});

test('a sound that is divided at times in milliseconds continues without dips or clicks', async (t) => {
  const folder = await folderOf(t);
  const hum = await tone(folder, 'hum.wav', "aevalsrc='0.5*sin(2*PI*441*t)':d=3:s=48000");
  // On the frames of 30 fps: 0.467 s is frame 14, 1.233 s is frame 37.
  const [one, other] = [seconds(14 / 30), seconds(37 / 30)];
  const is_cut = { before: true, after: true };
  const steps: readonly Step[] = [
    { asset: 'hum', samples: one, part_s: 0.466, is_cut: { before: false, after: true } },
    { asset: 'hum', starts_at_sample: one, samples: other - one, trim_start_s: 0.467, part_s: 0.766, is_cut },
    { asset: 'hum', starts_at_sample: other, samples: seconds(1), trim_start_s: 1.233, is_cut },
  ];
  const channel = left(await samplesOf(await soundOf(t, folder, steps, 3, { hum })));
  const { quietest, steepest } = evennessOf(channel, seconds(0.1), seconds(2.1));
  t.true(quietest > 0.45, `${quietest}`);
  t.true(steepest < 0.04, `${steepest}`);
});

test('a looped MP3 or Opus file has no gap, due to its encoder delay', async (t) => {
  const folder = await folderOf(t);
  const source = "aevalsrc='0.5*sin(2*PI*441*t)':d=1:s=44100";
  const files: Record<string, string> = {};
  const loops: Step[] = [];
  for (const [name, ...encoder] of [
    ['hum.mp3', '-c:a', 'libmp3lame'],
    ['hum.webm', '-c:a', 'libopus'],
    ['hum.ogg', '-c:a', 'libopus'],
  ] as const) {
    const hum = await tone(folder, name, source, ...encoder);
    const inspector = { inspect: async () => await Promise.reject(new Error('not asked for')) };
    const probes = { ffprobe_path: process.env.FFPROBE_PATH ?? 'ffprobe', inspector };
    const found = await probe({ id: 'hum', kind: 'audio', path: hum }, probes, limitsOf());
    if (E.isLeft(found) || found.right.kind !== 'audio') return t.fail(JSON.stringify(found));
    const { duration_s, starts_s } = found.right;
    near(t, duration_s, 1, 0.0011, `${name}: seconds`);
    files[name] = hum;
    loops.push({
      ...{ asset: name, file_starts_s: starts_s, loop_samples: duration_s * RATE },
      ...{ starts_at_sample: seconds(6 * loops.length), samples: seconds(6) },
    });
  }
  const channel = left(await samplesOf(await soundOf(t, folder, loops, 6 * loops.length, files)));
  for (const [index, { asset }] of loops.entries())
    for (let n = seconds(6 * index + 0.1); n < seconds(6 * index + 5.9); n += 120) {
      const loudest = channel.subarray(n, n + 120).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      t.true(loudest > 0.4, `${asset}: ${loudest} at ${n / RATE} s`);
    }
});

test('a damaged file is a composition fault with its name', async (t) => {
  const folder = await folderOf(t);
  const broken = join(folder, 'broken.m4a');
  const whole = await readFile(await tone(folder, 'whole.m4a', 'sine=duration=3'));
  await writeFile(broken, whole.subarray(0, whole.length / 2));
  const made = await mixSound(
    {
      scene: { sound: [soundStep({ asset: 'broken' })], samples: RATE, hashes: {} },
      ...{ file: join(folder, 'sound.m4a'), folder, assets: new Map([['broken', broken]]), ffmpeg_path: 'ffmpeg' },
    },
    limitsOf(),
  );
  t.true(E.isLeft(made) && made.left.tag === 'composition' && made.left.code === 'unreadable_media');
});
