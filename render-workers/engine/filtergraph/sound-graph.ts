import { SAMPLE_RATE } from '../scene/sound-step.ts';
import type { Voice } from './audio-inputs.ts';
import { decimal } from './expressions.ts';

/** A little below full scale, so that the encoder's own error does not clip. */
const CEILING = 0.97;
const STEREO = `aformat=sample_fmts=fltp:sample_rates=${SAMPLE_RATE}:channel_layouts=stereo`;
/** The filter keeps the pitch well up to a factor of two, so that it is asked several times beyond. */
const MOST_TEMPO = 2;

const tempo = (speed: number): readonly string[] => {
  const times = Math.ceil(Math.abs(Math.log2(speed)) / Math.log2(MOST_TEMPO) - 1e-9);
  return Array.from({ length: times }, () => `atempo=${decimal(speed ** (1 / times))}`);
};

/** Repeated with a period that is exact in the long run: after `times` turns a few samples are added or cut. */
const looping = ({ loop }: Voice): readonly string[] => {
  if (loop === null) return [];
  const { period_samples, times, whole_samples } = loop;
  const exactly = (samples: number) => [`apad=whole_len=${samples}`, `atrim=end_sample=${samples}`];
  return [
    ...exactly(period_samples),
    ...(times === 1 ? [] : [`aloop=loop=${times - 1}:size=${period_samples}`, ...exactly(whole_samples)]),
    `aloop=loop=-1:size=${whole_samples}`,
  ];
};

/** The filter goes by the times of what it is given, which are made those of the layer for it. */
const fading = (voice: Voice): readonly string[] => {
  const { offset_samples, layer_samples, fade_in_samples, fade_out_samples } = voice;
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

/** Seconds of the source that can be heard: reading ends with them. */
const heard_s = ({ part_s, speed, samples, loop }: Voice): number =>
  Math.min(part_s ?? Number.POSITIVE_INFINITY, ((loop?.period_samples ?? samples) * speed) / SAMPLE_RATE);

const voiceChain = (voice: Voice, input: number, from_sample: number): string => {
  const start_s = decimal(voice.file_starts_s + voice.trim_start_s);
  const delay = voice.at_sample - from_sample;
  return `[${input}:a:0]${[
    `atrim=start=${start_s}:duration=${decimal(Math.max(0, heard_s(voice)))}`,
    `asetpts=PTS-(${start_s})/TB`,
    `aresample=${SAMPLE_RATE}:async=1:first_pts=0`,
    STEREO,
    ...tempo(voice.speed),
    ...looping(voice),
    `atrim=end_sample=${voice.samples}`,
    ...(voice.volume === 1 ? [] : [`volume=${decimal(voice.volume)}`]),
    ...fading(voice),
    ...(delay > 0 ? [`adelay=delays=${delay}S:all=1`] : []),
  ].join(',')}[voice${input}]`;
};

/** Samples [from, until) of the composition. */
export type Stretch = { readonly from: number; readonly until: number };

/**
 * The graph that mixes voices, one input each, over a bed of silence of the exact length of a stretch, each at its own
 * level; it ends in `[mix]`.
 */
export const mixGraph = (voices: readonly Voice[], { from, until }: Stretch): readonly string[] => {
  const bed = `anullsrc=sample_rate=${SAMPLE_RATE}:channel_layout=stereo,atrim=end_sample=${until - from},${STEREO}`;
  if (voices.length === 0) return [`${bed}[mix]`];
  const ends = voices.map((_, input) => `[voice${input}]`).join('');
  return [
    `${bed}[bed]`,
    ...voices.map((voice, input) => voiceChain(voice, input, from)),
    `[bed]${ends}amix=inputs=${voices.length + 1}:duration=first:dropout_transition=0:normalize=0[mix]`,
  ];
};

/** The graph of the whole sound: the mix, kept below full scale by a limiter; it ends in `[sound]`. */
export const soundGraph = (voices: readonly Voice[], samples: number): readonly string[] => {
  const exact = `apad,atrim=end_sample=${samples}`;
  const limiter = `alimiter=limit=${CEILING}:attack=5:release=50:level=false:latency=true`;
  return [
    ...mixGraph(voices, { from: 0, until: samples }),
    `[mix]${voices.length > 0 ? `${limiter},` : ''}${exact}[sound]`,
  ];
};
