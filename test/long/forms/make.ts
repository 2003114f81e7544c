import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ffmpeg } from '../../integration/engine/_measuring.ts';
import { type Form, framesOfForm, GAP_S, LASTS_S, type PictureForm, type SoundForm } from './form.ts';

/**
 * Bars across a frame: a black one, eight bits of the frame's number from the lowest, and a white one. Gray code,
 * because deinterlacers would take a bar that changes with each field for a still one.
 */
export const BARS = 10;
const [BLACK, WHITE] = [40, 215];
export const PATCHES = [
  [180, 70, 60],
  [60, 120, 170],
] as const;
export const TONE = { hz: 1000, amplitude: 0.2 };

const drawn = ({ rate, width, height, alpha }: PictureForm, frames: number): string => {
  const bar = `floor(X*${BARS}/W)`;
  const lit = `if(eq(${bar},0),0,if(eq(${bar},${BARS - 1}),1,mod(floor((N+pow(2,${bar}-1))/pow(2,${bar})),2)))`;
  const level = (channel: 0 | 1 | 2): string =>
    `'if(lt(Y,H/2),if(${lit},${WHITE},${BLACK}),if(lt(X,W/2),${PATCHES[0][channel]},${PATCHES[1][channel]}))'`;
  const shown = alpha ? `:a='if(lt(Y,H/2)+lt(X,W/2),255,128)'` : '';
  const draw = `geq=r=${level(0)}:g=${level(1)}:b=${level(2)}${shown}`;
  return `color=c=black:s=${width}x${height}:r=${rate},format=gbr${alpha ? 'a' : ''}p,${draw},trim=end_frame=${frames}`;
};

const heard = ({ rate, channels }: SoundForm): string => {
  const amplitude = channels === '5.1' ? TONE.amplitude / 2 : TONE.amplitude;
  const tone = `${amplitude}*sin(2*PI*${TONE.hz}*t)*(lt(t,${GAP_S.from})+gte(t,${GAP_S.until}))`;
  const count = { mono: 1, stereo: 2, '5.1': 6 }[channels];
  return `aevalsrc='${Array.from({ length: count }, () => tone).join('|')}':c=${channels}:s=${rate}:d=${LASTS_S}`;
};

const TURNS = { 0: [], 90: ['transpose=clock'], 180: ['hflip', 'vflip'], 270: ['transpose=cclock'] } as const;

const pictureFilters = ({ colour, filters, turned }: PictureForm): string => {
  const { matrix, full_range } = colour;
  const range = full_range ? 'pc' : 'tv';
  const toMatrix = `scale=out_color_matrix=${matrix}:out_range=${range}:flags=accurate_rnd+full_chroma_int`;
  return [...TURNS[turned], ...(matrix === 'rgb' ? [] : [toMatrix]), ...filters].join(',');
};

/** Sets the sizes in the header of a WAV file as a program does that writes to a pipe. */
const spoilSizes = async (path: string, sizes: 'zero' | 'largest'): Promise<void> => {
  const file = await readFile(path);
  const size = sizes === 'zero' ? 0 : 0xffffffff;
  file.writeUInt32LE(size, 4);
  file.writeUInt32LE(size, file.indexOf('data') + 4);
  await writeFile(path, file);
};

/** Writes the file of a form into the folder; returns its path. */
export const makeForm = async (form: Form, folder: string): Promise<string> => {
  const { picture, sound, container, ending } = form;
  const inputs = [
    ...(picture === null ? [] : ['-f', 'lavfi', '-i', drawn(picture, framesOfForm(picture))]),
    ...(sound === null ? [] : ['-f', 'lavfi', '-i', heard(sound)]),
  ];
  const maps = [picture, sound].filter((one) => one !== null).flatMap((_, n) => ['-map', `${n}`]);
  const encoders = [
    ...(picture === null ? [] : ['-filter:v:0', pictureFilters(picture), ...picture.encoder, ...picture.colour.tags]),
    ...(sound === null ? [] : sound.encoder),
  ];
  const at = (n: number): string => join(folder, `source-${n}.${ending}`);
  const turned = picture?.turned ?? 0;
  const turn = turned === 0 ? [] : [['-i', 'IN', '-c', 'copy', '-metadata:s:v:0', `rotate=${turned}`, 'OUT']];
  await ffmpeg(...inputs, ...form.inputs, ...maps, ...encoders, ...form.maps, ...container, at(0));
  const rewrites = [...form.rewrites, ...turn];
  for (const [n, run] of rewrites.entries())
    await ffmpeg(...run.map((word) => (word === 'IN' ? at(n) : word === 'OUT' ? at(n + 1) : word)));
  const path = at(rewrites.length);
  if (form.wav_sizes !== null) await spoilSizes(path, form.wav_sizes);
  return path;
};
