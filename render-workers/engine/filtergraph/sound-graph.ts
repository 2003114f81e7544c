import { SAMPLE_RATE } from '../scene/sound-step.ts';
import type { AudioInput } from './audio-inputs.ts';
import { decimal } from './expressions.ts';

/** A little below full scale, so that the encoder's own error does not clip. */
const CEILING = 0.97;
const STEREO = `aformat=sample_fmts=fltp:sample_rates=${SAMPLE_RATE}:channel_layouts=stereo`;
/** The filter keeps the pitch well up to a factor of two; beyond, it is applied several times. */
const MOST_TEMPO = 2;

const tempo = (speed: number): readonly string[] => {
  const times = Math.ceil(Math.abs(Math.log2(speed)) / Math.log2(MOST_TEMPO) - 1e-9);
  return Array.from({ length: times }, () => `atempo=${decimal(speed ** (1 / times))}`);
};

/** A loop whose period is exact on average: after `times` repetitions a few samples are added or removed. */
const looping = ({ loop }: AudioInput): readonly string[] => {
  if (loop === null) return [];
  const { period_samples, times, whole_samples } = loop;
  const exactly = (samples: number) => [`apad=whole_len=${samples}`, `atrim=end_sample=${samples}`];
  return [
    ...exactly(period_samples),
    ...(times === 1 ? [] : [`aloop=loop=${times - 1}:size=${period_samples}`, ...exactly(whole_samples)]),
    `aloop=loop=-1:size=${whole_samples}`,
  ];
};

/** The filter uses its input's timestamps, so these are set to the layer's times first. */
const fading = (audioInput: AudioInput): readonly string[] => {
  const { offset_samples, layer_samples, fade_in_samples, fade_out_samples } = audioInput;
  if (fade_in_samples === 0 && fade_out_samples === 0) return [];
  const fade_out_at = layer_samples - fade_out_samples;
  return [
    `asetpts=N+${offset_samples}`,
    ...(fade_in_samples > 0 ? [`afade=type=in:start_sample=0:nb_samples=${fade_in_samples}:curve=tri`] : []),
    ...(fade_out_samples > 0
      ? [`afade=type=out:start_sample=${fade_out_at}:nb_samples=${fade_out_samples}:curve=tri`]
      : []),
    'asetpts=N',
  ];
};

/** Seconds of the source that can be heard; reading ends there. */
const heard_s = ({ part_s, speed, samples, loop }: AudioInput): number =>
  Math.min(part_s ?? Number.POSITIVE_INFINITY, ((loop?.period_samples ?? samples) * speed) / SAMPLE_RATE);

const audioChain = (audioInput: AudioInput, input: number, from_sample: number): string => {
  const start_s = decimal(audioInput.file_starts_s + audioInput.trim_start_s);
  const delay = audioInput.at_sample - from_sample;
  return `[${input}:a:0]${[
    `atrim=start=${start_s}:duration=${decimal(Math.max(0, heard_s(audioInput)))}`,
    `asetpts=PTS-(${start_s})/TB`,
    `aresample=${SAMPLE_RATE}:async=1:first_pts=0`,
    STEREO,
    ...tempo(audioInput.speed),
    ...looping(audioInput),
    `atrim=end_sample=${audioInput.samples}`,
    ...(audioInput.volume === 1 ? [] : [`volume=${decimal(audioInput.volume)}`]),
    ...fading(audioInput),
    ...(delay > 0 ? [`adelay=delays=${delay}S:all=1`] : []),
  ].join(',')}[audioInput${input}]`;
};

/** Samples [from, until) of the composition. */
export type Stretch = { readonly from: number; readonly until: number };

/**
 * The graph that mixes audio inputs, each at its own level, with silence of the exact length of the span; it ends in
 * `[mix]`.
 */
export const mixGraph = (audioInputs: readonly AudioInput[], { from, until }: Stretch): readonly string[] => {
  const bed = `anullsrc=sample_rate=${SAMPLE_RATE}:channel_layout=stereo,atrim=end_sample=${until - from},${STEREO}`;
  if (audioInputs.length === 0) return [`${bed}[mix]`];
  const ends = audioInputs.map((_, input) => `[audioInput${input}]`).join('');
  return [
    `${bed}[bed]`,
    ...audioInputs.map((audioInput, input) => audioChain(audioInput, input, from)),
    `[bed]${ends}amix=inputs=${audioInputs.length + 1}:duration=first:dropout_transition=0:normalize=0[mix]`,
  ];
};

/** The graph of the whole audio mix, limited below full scale; it ends in `[sound]`. */
export const soundGraph = (audioInputs: readonly AudioInput[], samples: number): readonly string[] => {
  const exact = `apad,atrim=end_sample=${samples}`;
  const limiter = `alimiter=limit=${CEILING}:attack=5:release=50:level=false:latency=true`;
  return [
    ...mixGraph(audioInputs, { from: 0, until: samples }),
    `[mix]${audioInputs.length > 0 ? `${limiter},` : ''}${exact}[sound]`,
  ];
};
