import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { type AudioInput, audioInputsOf } from '../filtergraph/audio-inputs.ts';
import {
  mixGraph,
  PEAK_CEILING,
  type SampleRange,
  SOUND_GRAPH_VERSION,
  soundGraph,
} from '../filtergraph/sound-graph.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import { absolutePath } from '../process/ffmpeg-arguments.ts';
import { type ProcessLimits, remainingLimits } from '../process/run-process.ts';
import type { Scene } from '../scene/scene.ts';
import { SAMPLE_RATE, type SoundFade } from '../scene/sound-step.ts';
import { isGeneratedSound, type MixOptions, measureTruePeak, runMix, SOUND_GROUP_PREFIX } from './mix-run.ts';

type Sounding = Pick<Scene, 'sound' | 'samples' | 'hashes'>;

/** Omits the comment in the first frame that names the encoder and its version. */
const AAC = ['-c:a', 'aac', '-b:a', '192k', '-ar', String(SAMPLE_RATE), '-ac', '2', '-flags:a', '+bitexact'];

/** Everything that decides the audio mix's bytes, for its cache key. Do not rename the members: they are hashed. */
export const describeSound = ({ sound, samples, hashes }: Sounding): unknown => ({
  samples,
  mixing: SOUND_GRAPH_VERSION,
  encoder: AAC,
  voices: audioInputsOf(sound).map(({ asset, ...audioInput }) => ({
    ...audioInput,
    sha256: hashes[asset] ?? null,
  })),
});

/** Maximum number of inputs of one process. If there are more, they are first mixed in groups. */
const MAX_INPUTS = 48;

const NO_FADE: SoundFade = { samples: 0, curve: 'equal_gain' };

/**
 * A group's mix may exceed full scale, so it is stored attenuated by this factor. It still has 24 bits of precision.
 */
const HEADROOM = 64;

const mixGroup = async (
  audioInputs: readonly AudioInput[],
  asset: string,
  mixing: MixOptions,
): Promise<E.Either<EngineFault, AudioInput>> => {
  const stretch: SampleRange = {
    from: Math.min(...audioInputs.map(({ at_sample }) => at_sample)),
    until: Math.max(...audioInputs.map(({ at_sample, samples }) => at_sample + samples)),
  };
  const graphOf = (inputs: readonly AudioInput[]) => [
    ...mixGraph(inputs, stretch),
    `[mix]volume=${1 / HEADROOM},aformat=sample_fmts=s32[group]`,
  ];
  const file = mixing.assets.get(asset) ?? '';
  const output = ['-map', '[group]', '-c:a', 'flac', '-compression_level', '0', '-f', 'flac', absolutePath(file)];
  const samples = stretch.until - stretch.from;
  const mixed = await runMix(audioInputs, graphOf, output, samples, mixing);
  if (E.isLeft(mixed)) return mixed;
  const unchanged = {
    file_starts_s: 0,
    trim_start_s: 0,
    part_s: null,
    speed: 1,
    loop: null,
    volume: HEADROOM,
    downmix: null,
  };
  const without_fades = {
    track: 0,
    exact_times: false,
    offset_samples: 0,
    layer_samples: samples,
    fade_in: NO_FADE,
    fade_out: NO_FADE,
    turn_in: 0,
    turn_out: 0,
  };
  return E.right({ asset, at_sample: stretch.from, samples, ...unchanged, ...without_fades });
};

const groupsOf = (audioInputs: readonly AudioInput[]): readonly (readonly AudioInput[])[] =>
  Array.from({ length: Math.ceil(audioInputs.length / MAX_INPUTS) }, (_, group) =>
    audioInputs.slice(group * MAX_INPUTS, (group + 1) * MAX_INPUTS),
  );

/** Limit of the true peak in EBU R 128. Players clip higher peaks. */
const MAX_TRUE_PEAK_DB = -1;
/** Extra attenuation when the mix is encoded again, because a lower ceiling changes the encoder's error. */
const MARGIN_DB = 0.2;
/**
 * If the mix stays below this peak, the encoder's error cannot exceed the limit: it was at most 3.5 dB, with white
 * noise.
 */
const QUIET_DB = -6;
const MAX_ENCODES = 3;

/** If the encoder's error raises the true peak above the limit, the mix is encoded again below a lower ceiling. */
const encodeMix = async (
  audioInputs: readonly AudioInput[],
  samples: number,
  file: string,
  mixing: MixOptions,
): Promise<E.Either<EngineFault, void>> => {
  const muxing = ['-map_metadata', '-1', '-movie_timescale', String(SAMPLE_RATE), '-f', 'mp4', absolutePath(file)];
  const output = ['-map', '[sound]', ...AAC, ...muxing];
  let ceiling = PEAK_CEILING;
  for (let encodes = 1; ; encodes += 1) {
    const graphOf = (inputs: readonly AudioInput[]) => soundGraph(inputs, samples, ceiling);
    const mixed = await runMix(audioInputs, graphOf, output, samples, mixing);
    if (E.isLeft(mixed)) return mixed;
    if (mixed.right < QUIET_DB || encodes === MAX_ENCODES) return E.right(undefined);
    const peak = await measureTruePeak(file, mixing);
    if (E.isLeft(peak)) return peak;
    if (peak.right <= MAX_TRUE_PEAK_DB) return E.right(undefined);
    ceiling *= 10 ** ((MAX_TRUE_PEAK_DB - MARGIN_DB - peak.right) / 20);
  }
};

export type SoundMixOptions = {
  readonly scene: Sounding;
  readonly file: string;
  /** For tests: limits the memory for loops, in bytes. */
  readonly loops_bytes?: number;
  readonly assets: ReadonlyMap<string, string>;
} & Pick<MixOptions, 'ffmpeg_path' | 'folder'>;

/** AAC, 48 kHz, stereo, with silence where no layer sounds. Reads only the audio of the files. */
export const mixSound = async (
  options: SoundMixOptions,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, void>> => {
  const { scene, file, folder } = options;
  const assets = new Map(options.assets);
  let audioInputs = audioInputsOf(scene.sound, options.loops_bytes);
  const mixing: MixOptions = { ...options, assets, limits: remainingLimits(limits), all: audioInputs };
  try {
    let groups = 0;
    while (audioInputs.length > MAX_INPUTS) {
      const group_inputs: AudioInput[] = [];
      for (const group of groupsOf(audioInputs)) {
        const name = `${SOUND_GROUP_PREFIX}${groups}`;
        assets.set(name, join(folder, `group-${groups}.flac`));
        groups += 1;
        const mixed = await mixGroup(group, name, mixing);
        if (E.isLeft(mixed)) return mixed;
        group_inputs.push(mixed.right);
      }
      audioInputs = group_inputs;
    }
    return await encodeMix(audioInputs, scene.samples, file, mixing);
  } finally {
    for (const [name, path] of assets) if (isGeneratedSound(name)) await rm(path, { force: true });
  }
};
