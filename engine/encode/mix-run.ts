import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { AudioInput } from '../filtergraph/audio-inputs.ts';
import { audibleSeconds, PEAK_METER, PEAK_RATE } from '../filtergraph/sound-graph.ts';
import { findRunFault, type SourcePart } from '../media/decode-alone.ts';
import { stereoFilters } from '../media/downmix.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import { absolutePath, LOCAL_FILE_OPTIONS, SOUND_DECODER_OPTIONS } from '../process/ffmpeg-arguments.ts';
import { hasSucceeded } from '../process/ffmpeg-faults.ts';
import { type ProcessLimits, runProcess } from '../process/run-process.ts';
import { SAMPLE_RATE } from '../scene/sound-step.ts';
import { createSoundLogParser } from './sound-log.ts';

/** Seconds decoded before the audible part, because decoding is exact only from a short time after a seek. */
const SEEK_AHEAD_S = 1;
/** Seconds decoded after the audible part. */
const BEHIND_S = 1;
/** Memory limit of one process: enough for all its decoders, its loops in memory, and uncompressed audio. */
const MAX_MEMORY_BYTES = 2 * 2 ** 30;
const SAMPLE_BYTES = 8;
const MEBIBYTE = 2 ** 20;

/** Prefixes of generated files. No asset id begins with them. */
export const SOUND_GROUP_PREFIX = 'group:';
const CONVERTED = 'converted:';
export const isGeneratedSound = (asset: string): boolean =>
  asset.startsWith(SOUND_GROUP_PREFIX) || asset.startsWith(CONVERTED);

export type MixOptions = {
  readonly ffmpeg_path: string;
  readonly assets: Map<string, string>;
  /** A folder for the mix, and for intermediate files, which are removed. */
  readonly folder: string;
  readonly limits: () => ProcessLimits;
  readonly all: readonly AudioInput[];
};

/** Input options for sounds that the engine has converted to NUT. Files of users are never read as NUT. */
const ONLY_CONVERTED = ['-protocol_whitelist', 'file', '-format_whitelist', 'nut'] as const;

const inputArguments = (
  { asset, file_starts_s, trim_start_s }: AudioInput,
  { assets }: MixOptions,
): readonly string[] => {
  const seek_s = trim_start_s - SEEK_AHEAD_S;
  const input = ['-i', absolutePath(assets.get(asset) ?? '')];
  if (!asset.startsWith(CONVERTED))
    return [
      ...SOUND_DECODER_OPTIONS,
      ...(seek_s > 0 ? ['-ss', seek_s.toFixed(6)] : []),
      ...LOCAL_FILE_OPTIONS,
      ...input,
    ];
  // A converted sound has the timestamps of its source file but begins with the audible part, so the seek is by
  // timestamp.
  const seek = ['-noaccurate_seek', '-seek_timestamp', '1', '-ss', (file_starts_s + seek_s).toFixed(6)];
  return [...SOUND_DECODER_OPTIONS, ...(seek_s > 0 ? seek : []), ...ONLY_CONVERTED, ...input];
};

const partOf = (audioInput: AudioInput, path: string): SourcePart => {
  const { asset, track, file_starts_s, downmix, trim_start_s } = audioInput;
  const from_s = Math.max(0, trim_start_s - SEEK_AHEAD_S);
  const until_s = trim_start_s + audibleSeconds(audioInput) + BEHIND_S;
  return {
    asset,
    track,
    stream: 'audio',
    downmix,
    path,
    file_starts_s,
    decoder: SOUND_DECODER_OPTIONS,
    from_s,
    until_s,
  };
};

const bytesIn = async (folder: string): Promise<number> => {
  let sum = 0;
  for (const name of await readdir(folder)) sum += (await stat(join(folder, name))).size;
  return sum;
};

type SoundRun = {
  /** Peak in dB relative to full scale, as an `astats` filter in the graph reports it. */
  readonly peak_db: number;
  readonly changing_inputs: readonly number[];
  readonly fault: (() => Promise<EngineFault>) | null;
};

const runSound = async (
  args: readonly string[],
  parts: readonly SourcePart[],
  samples: number,
  { ffmpeg_path, folder, limits }: MixOptions,
): Promise<E.Either<EngineFault, SoundRun>> => {
  const file_bytes = MEBIBYTE + SAMPLE_BYTES * samples;
  const bounds = { memory_bytes: MAX_MEMORY_BYTES, file_bytes, folder_bytes: file_bytes + (await bytesIn(folder)) };
  const reads = parts.map(({ path }) => path);
  const log = createSoundLogParser();
  const program = { program: ffmpeg_path, args: [...log.options, ...args], on_error_line: log.onLine };
  const run = await runProcess({ ...program, reads, writes: resolve(folder), bounds }, limits());
  if (E.isLeft(run)) return run;
  const asset_parts = parts.filter(({ asset }) => !isGeneratedSound(asset));
  const fault = async () => await findRunFault(log.errors(), asset_parts, { ffmpeg_path, limits: limits() });
  return E.right({
    peak_db: log.peakDb(),
    changing_inputs: log.changing(),
    fault: hasSucceeded(run.right) ? null : fault,
  });
};

const OPTIONS = ['-hide_banner', '-nostdin', '-y', '-copyts'];

/** True peak, which may lie between two samples, in dB relative to full scale. */
export const measureTruePeak = async (file: string, mixing: MixOptions): Promise<E.Either<EngineFault, number>> => {
  const filters = `aresample=${PEAK_RATE},${PEAK_METER}`;
  const args = [
    ...OPTIONS,
    ...LOCAL_FILE_OPTIONS,
    '-i',
    absolutePath(file),
    '-map',
    '0:a:0',
    '-af',
    filters,
    '-f',
    'null',
    '-',
  ];
  const run = await runSound(args, [], 0, mixing);
  if (E.isLeft(run)) return run;
  const { peak_db, fault } = run.right;
  return fault === null ? E.right(peak_db) : E.left(await fault());
};

/**
 * Converts the audible part of a sound to one format, because a format change would restart the filter graph. Keeps the
 * timestamps of the file, except for chained streams: without `-copyts`, ffmpeg continues their timestamps from each
 * stream to the next. A file of chained streams cannot be seeked, so it is converted from its start.
 */
const convert = async (asset: string, mixing: MixOptions): Promise<E.Either<EngineFault, void>> => {
  const { assets, folder, all } = mixing;
  const path = absolutePath(assets.get(asset) ?? '');
  const parts = all.filter((audioInput) => audioInput.asset === asset).map((audioInput) => partOf(audioInput, path));
  const [first] = parts;
  if (first === undefined) return E.right(undefined);
  const is_chained = all.some((audioInput) => audioInput.asset === asset && audioInput.chained === true);
  const from_s = is_chained ? 0 : Math.min(...parts.map((part) => part.from_s));
  const until_s = Math.max(...parts.map((part) => part.until_s ?? 0));
  const file = join(folder, `converted-${assets.size}.nut`);
  assets.set(`${CONVERTED}${asset}`, file);
  const [start, end] = [from_s, until_s].map((at_s) => (first.file_starts_s + at_s).toFixed(6));
  const filters = [
    `atrim=start=${start}:end=${end}`,
    ...stereoFilters(first.downmix ?? null),
    `aresample=${SAMPLE_RATE}:async=1`,
  ];
  const args = [
    ...(is_chained ? OPTIONS.filter((option) => option !== '-copyts') : OPTIONS),
    ...[...SOUND_DECODER_OPTIONS, ...(from_s > 0 ? ['-ss', from_s.toFixed(6)] : []), ...LOCAL_FILE_OPTIONS, '-i', path],
    ...['-map', `0:${first.track}`, '-af', filters.join(','), '-c:a', 'pcm_f32le', '-f', 'nut', absolutePath(file)],
  ];
  const samples = Math.ceil((until_s - from_s) * SAMPLE_RATE);
  const converted = await runSound(args, [{ ...first, from_s, until_s }], samples, mixing);
  if (E.isLeft(converted)) return converted;
  return converted.right.fault === null ? E.right(undefined) : E.left(await converted.right.fault());
};

const withConverted = (audioInput: AudioInput, { assets }: MixOptions): AudioInput => {
  const asset = `${CONVERTED}${audioInput.asset}`;
  return assets.has(asset) ? { ...audioInput, asset, track: 0, exact_times: true, downmix: null } : audioInput;
};

/** If the format of a sound changes within its stream, the sound is converted, and the graph runs again. */
export const runMix = async (
  audioInputs: readonly AudioInput[],
  graphOf: (audioInputs: readonly AudioInput[]) => readonly string[],
  output: readonly string[],
  samples: number,
  mixing: MixOptions,
): Promise<E.Either<EngineFault, number>> => {
  const { folder, assets } = mixing;
  const chained = audioInputs.filter((one) => one.chained === true && !assets.has(`${CONVERTED}${one.asset}`));
  for (const asset of new Set(chained.map((one) => one.asset))) {
    const converted = await convert(asset, mixing);
    if (E.isLeft(converted)) return converted;
  }
  const script = join(folder, 'sound-graph.txt');
  const inputs = audioInputs.map((audioInput) => withConverted(audioInput, mixing));
  await writeFile(script, graphOf(inputs).join(';\n'));
  const args = [
    ...[...OPTIONS, '-filter_complex_threads', '1'],
    ...inputs.flatMap((audioInput) => inputArguments(audioInput, mixing)),
    ...['-filter_complex_script', absolutePath(script), ...output],
  ];
  const parts = inputs.map((audioInput) => partOf(audioInput, absolutePath(assets.get(audioInput.asset) ?? '')));
  const mixed = await runSound(args, parts, samples, mixing);
  await rm(script, { force: true });
  if (E.isLeft(mixed)) return mixed;
  const { peak_db, changing_inputs, fault } = mixed.right;
  const assetsToConvert = new Set(
    changing_inputs.flatMap((input) => inputs[input]?.asset ?? []).filter((one) => !isGeneratedSound(one)),
  );
  for (const asset of assetsToConvert) {
    const converted = await convert(asset, mixing);
    if (E.isLeft(converted)) return converted;
  }
  if (assetsToConvert.size > 0) return await runMix(audioInputs, graphOf, output, samples, mixing);
  return fault === null ? E.right(peak_db) : E.left(await fault());
};
