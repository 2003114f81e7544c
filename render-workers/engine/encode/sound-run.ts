import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { type AudioInput, audioInputsOf } from '../filtergraph/audio-inputs.ts';
import { heard_s, mixGraph, SOUND_GRAPH_VERSION, type Stretch, soundGraph } from '../filtergraph/sound-graph.ts';
import { faultOfRun, type SourcePart } from '../media/decode-alone.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import { asPath, ONLY_FILES, SOUND_DECODER } from '../process/ffmpeg-arguments.ts';
import { endedWell } from '../process/ffmpeg-faults.ts';
import { countingDown, type ProcessLimits, runProcess } from '../process/run-process.ts';
import type { Scene } from '../scene/scene.ts';
import { type Fade, SAMPLE_RATE } from '../scene/sound-step.ts';

type Sounding = Pick<Scene, 'sound' | 'samples' | 'hashes'>;

const AAC = ['-c:a', 'aac', '-b:a', '192k', '-ar', String(SAMPLE_RATE), '-ac', '2'];

/** All that decides the audio mix's bytes, for its cache key. Member names never change: they are hashed. */
export const describeSound = ({ sound, samples, hashes }: Sounding): unknown => ({
  samples,
  mixing: SOUND_GRAPH_VERSION,
  encoder: AAC,
  voices: audioInputsOf(sound).map(({ asset, ...audioInput }) => ({
    ...audioInput,
    sha256: hashes[asset] ?? null,
  })),
});

/** Files that one process reads at once; more audio inputs are mixed in groups first. */
const INPUTS_AT_ONCE = 48;
/** Decoding is exact only from a little after a seek. */
const SEEK_AHEAD_S = 1;
/** Enough for all decoders of one process, its loops in memory, and uncompressed audio. */
const MEMORY_BYTES = 2 * 2 ** 30;
const SAMPLE_BYTES = 8;
const MEBIBYTE = 2 ** 20;

const NO_FADE: Fade = { samples: 0, curve: 'equal_gain' };

/** Begins names of groups, as no asset's id does. */
const GROUP = 'group:';

/** A group's mix may exceed full scale: it is stored attenuated by this factor, with 24 bits of precision left. */
const HEADROOM = 64;

type Mixing = {
  readonly ffmpeg_path: string;
  /** Paths of the files by asset id. */
  readonly assets: ReadonlyMap<string, string>;
  /** A folder for the mix, and for the graph and the groups, which are removed. */
  readonly folder: string;
  readonly limits: ProcessLimits;
};

const inputArguments = (
  { asset, trim_start_s }: AudioInput,
  assets: ReadonlyMap<string, string>,
): readonly string[] => {
  const seek_s = trim_start_s - SEEK_AHEAD_S;
  const path = asPath(assets.get(asset) ?? '');
  return [...SOUND_DECODER, ...(seek_s > 0 ? ['-ss', seek_s.toFixed(6)] : []), ...ONLY_FILES, '-i', path];
};

/** Decoded behind what is heard. */
const BEHIND_S = 1;

const partOf = (audioInput: AudioInput, path: string): SourcePart => {
  const { asset, track, file_starts_s, downmix, trim_start_s } = audioInput;
  const from_s = Math.max(0, trim_start_s - SEEK_AHEAD_S);
  const until_s = trim_start_s + heard_s(audioInput) + BEHIND_S;
  return { asset, track, stream: 'audio', downmix, path, file_starts_s, decoder: SOUND_DECODER, from_s, until_s };
};

/** Bytes of the groups mixed so far. */
const bytesIn = async (folder: string): Promise<number> => {
  let sum = 0;
  for (const name of await readdir(folder)) sum += (await stat(join(folder, name))).size;
  return sum;
};

const mix = async (
  audioInputs: readonly AudioInput[],
  graph: readonly string[],
  output: readonly string[],
  samples: number,
  { ffmpeg_path, assets, folder, limits }: Mixing,
): Promise<E.Either<EngineFault, void>> => {
  const script = join(folder, 'sound-graph.txt');
  await writeFile(script, graph.join(';\n'));
  const args = [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', '-copyts', '-filter_complex_threads', '1'],
    ...audioInputs.flatMap((audioInput) => inputArguments(audioInput, assets)),
    ...['-filter_complex_script', asPath(script), ...output],
  ];
  const file_bytes = MEBIBYTE + SAMPLE_BYTES * samples;
  const bounds = { memory_bytes: MEMORY_BYTES, file_bytes, folder_bytes: file_bytes + (await bytesIn(folder)) };
  const parts = audioInputs
    .map((audioInput) => partOf(audioInput, asPath(assets.get(audioInput.asset) ?? '')))
    .filter(({ asset }) => !asset.startsWith(GROUP));
  const reads = parts.map(({ path }) => path);
  const left = countingDown(limits);
  const run = await runProcess({ program: ffmpeg_path, args, reads, writes: resolve(folder), bounds }, limits);
  await rm(script, { force: true });
  if (E.isLeft(run)) return run;
  if (endedWell(run.right)) return E.right(undefined);
  return E.left(await faultOfRun(run.right.stderr, parts, { ffmpeg_path, limits: left() }));
};

/** The audio inputs of a group mixed into one file, as one audio input. */
const mixGroup = async (
  audioInputs: readonly AudioInput[],
  asset: string,
  mixing: Mixing,
): Promise<E.Either<EngineFault, AudioInput>> => {
  const stretch: Stretch = {
    from: Math.min(...audioInputs.map(({ at_sample }) => at_sample)),
    until: Math.max(...audioInputs.map(({ at_sample, samples }) => at_sample + samples)),
  };
  const graph = [...mixGraph(audioInputs, stretch), `[mix]volume=${1 / HEADROOM},aformat=sample_fmts=s32[group]`];
  const file = mixing.assets.get(asset) ?? '';
  const output = ['-map', '[group]', '-c:a', 'flac', '-compression_level', '0', '-f', 'flac', asPath(file)];
  const samples = stretch.until - stretch.from;
  const mixed = await mix(audioInputs, graph, output, samples, mixing);
  if (E.isLeft(mixed)) return mixed;
  const unchanged = {
    track: 0,
    file_starts_s: 0,
    trim_start_s: 0,
    part_s: null,
    speed: 1,
    loop: null,
    volume: HEADROOM,
    downmix: null,
  };
  const unfaded = {
    offset_samples: 0,
    layer_samples: samples,
    fade_in: NO_FADE,
    fade_out: NO_FADE,
    turn_in: 0,
    turn_out: 0,
  };
  return E.right({ asset, at_sample: stretch.from, samples, ...unchanged, ...unfaded });
};

const groupsOf = (audioInputs: readonly AudioInput[]): readonly (readonly AudioInput[])[] =>
  Array.from({ length: Math.ceil(audioInputs.length / INPUTS_AT_ONCE) }, (_, group) =>
    audioInputs.slice(group * INPUTS_AT_ONCE, (group + 1) * INPUTS_AT_ONCE),
  );

export type SoundMix = {
  readonly scene: Sounding;
  /** The finished mix, `.m4a`. */
  readonly file: string;
  /** For tests: bytes of loops held in memory. */
  readonly loops_bytes?: number;
} & Omit<Mixing, 'limits'>;

/**
 * Mixes and encodes the sound of the whole composition, once: AAC, 48 kHz, stereo, of its exact length; silence where
 * nothing sounds. It opens the files by itself and reads nothing of them but sound.
 */
export const mixSound = async (options: SoundMix, limits: ProcessLimits): Promise<E.Either<EngineFault, void>> => {
  const { scene, file, folder } = options;
  const assets = new Map(options.assets);
  const mixing: Mixing = { ...options, assets, limits };
  const made: string[] = [];
  try {
    let audioInputs = audioInputsOf(scene.sound, options.loops_bytes);
    while (audioInputs.length > INPUTS_AT_ONCE) {
      const grouped: AudioInput[] = [];
      for (const group of groupsOf(audioInputs)) {
        const name = `${GROUP}${made.length}`;
        assets.set(name, join(folder, `group-${made.length}.flac`));
        made.push(join(folder, `group-${made.length}.flac`));
        const mixed = await mixGroup(group, name, mixing);
        if (E.isLeft(mixed)) return mixed;
        grouped.push(mixed.right);
      }
      audioInputs = grouped;
    }
    const { samples } = scene;
    const muxing = ['-map_metadata', '-1', '-movie_timescale', String(SAMPLE_RATE), '-f', 'mp4', asPath(file)];
    return await mix(
      audioInputs,
      soundGraph(audioInputs, samples),
      ['-map', '[sound]', ...AAC, ...muxing],
      samples,
      mixing,
    );
  } finally {
    for (const path of made) await rm(path, { force: true });
  }
};
