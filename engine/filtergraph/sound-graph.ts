import { stereoFilters } from '../media/downmix.ts';
import { type FadeCurve, SAMPLE_RATE, type SoundFade } from '../scene/sound-step.ts';
import type { AudioInput } from './audio-inputs.ts';
import { decimal } from './expressions.ts';

/** Increment when the same description of a mix gives other bytes. */
export const SOUND_GRAPH_VERSION = 4;

/**
 * Maximum level of the mix: 2.4 dB below full scale. With the encoder's error, the true peak then mostly stays below -1
 * dB.
 */
export const PEAK_CEILING = 0.76;
/** Sample rate at which peaks between samples are detected. */
export const PEAK_RATE = 4 * SAMPLE_RATE;
/** Fills gaps and cuts overlaps from a tenth of a millisecond on. By default ffmpeg does so only from 0.1 s on. */
const EXACT_TIMES = ':min_comp=0.0001:min_hard_comp=0.0002';
/** Keeps frequencies below 23 kHz. */
const RESAMPLER = 'filter_size=64:cutoff=0.98';
const SAMPLES = `aformat=sample_fmts=fltp:sample_rates=${SAMPLE_RATE}`;
const STEREO = `${SAMPLES}:channel_layouts=stereo`;

/**
 * The windows of rubberband reach back this many samples, and sound nearer to the start comes out early. This much
 * silence is therefore added before the input, and removed again. Measured on librubberband 3.1: from half to double
 * speed, drum strokes begin within 5 ms of their position.
 */
const reachBack = (speed: number): number => (speed > 1 ? 250 : speed > 1 / 3 ? 550 : 450);
/** Silence after the end, which flushes the last samples. */
const FLUSH_SAMPLES = 8192;
/** Rubberband is less exact above this tempo, so it is applied several times. */
const MAX_TEMPO = 4;

/** Filters that change the speed but not the pitch. Short windows keep percussion in position. */
const tempo = (speed: number): readonly string[] => {
  if (speed === 1) return [];
  const before = reachBack(speed);
  const times = Math.max(1, Math.ceil(Math.log(speed) / Math.log(MAX_TEMPO) - 1e-9));
  return [
    `apad=pad_len=${FLUSH_SAMPLES}`,
    `adelay=delays=${before}S:all=1`,
    ...Array.from(
      { length: times },
      () => `rubberband=tempo=${decimal(speed ** (1 / times))}:transients=mixed:window=short:channels=together`,
    ),
    `atrim=start_sample=${before}`,
    'asetpts=N',
  ];
};

/** The period is exact on average: after `times` repetitions a few samples are added or removed. */
const loopFilters = ({ loop }: AudioInput): readonly string[] => {
  if (loop === null) return [];
  const { period_samples, times, whole_samples } = loop;
  const exactly = (samples: number) => [`apad=whole_len=${samples}`, `atrim=end_sample=${samples}`];
  return [
    ...exactly(period_samples),
    ...(times === 1 ? [] : [`aloop=loop=${times - 1}:size=${period_samples}`, ...exactly(whole_samples)]),
    `aloop=loop=-1:size=${whole_samples}`,
  ];
};

const CURVES: Readonly<Record<FadeCurve, string>> = { equal_gain: 'tri', equal_power: 'qsin' };

const fadeFilter = (type: 'in' | 'out', at: number, { samples, curve }: SoundFade): readonly string[] =>
  samples === 0 ? [] : [`afade=type=${type}:start_sample=${at}:nb_samples=${samples}:curve=${CURVES[curve]}`];

const edgeFades = (samples: number, fade_in: SoundFade, fade_out: SoundFade): readonly string[] => [
  ...fadeFilter('in', 0, fade_in),
  ...fadeFilter('out', samples - fade_out.samples, fade_out),
];

/** Fades each repetition of a loop, also if each repetition is a separate input. */
const repetitionFades = ({ loop, samples, turn_in, turn_out }: AudioInput): readonly string[] => {
  const filters = edgeFades(
    loop?.period_samples ?? samples,
    { samples: turn_in, curve: 'equal_gain' },
    { samples: turn_out, curve: 'equal_gain' },
  );
  return filters.length === 0 ? [] : ['asetpts=N', ...filters];
};

/** The fade filters use the timestamps of their input, so these are first set to the layer's times. */
const layerFades = ({ offset_samples, layer_samples, fade_in, fade_out }: AudioInput): readonly string[] => {
  const filters = edgeFades(layer_samples, fade_in, fade_out);
  return filters.length === 0 ? [] : [`asetpts=N+${offset_samples}`, ...filters, 'asetpts=N'];
};

const groupFades = ({ offset_samples, group_fades = [] }: AudioInput): readonly string[] =>
  group_fades.flatMap((group) => [
    `asetpts=N+${group.offset_samples + offset_samples}`,
    ...edgeFades(group.samples, group.fade_in, group.fade_out),
    'asetpts=N',
  ]);

/** Seconds of the source that are read. */
export const audibleSeconds = ({ part_s, speed, samples, loop }: AudioInput): number =>
  Math.min(part_s ?? Number.POSITIVE_INFINITY, ((loop?.period_samples ?? samples) * speed) / SAMPLE_RATE);

const audioChain = (audioInput: AudioInput, input: number, from_sample: number): string => {
  const start_s = decimal(audioInput.file_starts_s + audioInput.trim_start_s);
  const delay = audioInput.at_sample - from_sample;
  return `[${input}:${audioInput.track}]${[
    `atrim=start=${start_s}:duration=${decimal(Math.max(0, audibleSeconds(audioInput)))}`,
    `asetpts=PTS-(${start_s})/TB`,
    ...stereoFilters(audioInput.downmix),
    `aresample=${SAMPLE_RATE}:async=1:first_pts=0${audioInput.exact_times ? EXACT_TIMES : ''}`,
    SAMPLES,
    ...tempo(audioInput.speed),
    ...repetitionFades(audioInput),
    ...loopFilters(audioInput),
    `atrim=end_sample=${audioInput.samples}`,
    ...(audioInput.volume === 1 ? [] : [`volume=${decimal(audioInput.volume)}`]),
    ...layerFades(audioInput),
    ...groupFades(audioInput),
    ...(delay > 0 ? [`adelay=delays=${delay}S:all=1`] : []),
  ].join(',')}[audioInput${input}]`;
};

export type SampleRange = { readonly from: number; readonly until: number };

/** Silence of the exact length of the span lies below all inputs. The graph ends in `[mix]`. */
export const mixGraph = (audioInputs: readonly AudioInput[], { from, until }: SampleRange): readonly string[] => {
  const bed = `anullsrc=sample_rate=${SAMPLE_RATE}:channel_layout=stereo,atrim=end_sample=${until - from},${STEREO}`;
  if (audioInputs.length === 0) return [`${bed}[mix]`];
  const ends = audioInputs.map((_, input) => `[audioInput${input}]`).join('');
  return [
    `${bed}[bed]`,
    ...audioInputs.map((audioInput, input) => audioChain(audioInput, input, from)),
    `[bed]${ends}amix=inputs=${audioInputs.length + 1}:duration=first:dropout_transition=0:normalize=0[mix]`,
  ];
};

export const PEAK_METER = 'astats=measure_perchannel=none:measure_overall=Peak_level';

export const soundGraph = (audioInputs: readonly AudioInput[], samples: number, ceiling: number): readonly string[] => {
  const exact = `apad,atrim=end_sample=${samples}`;
  const limiter = [
    `aresample=${PEAK_RATE}:${RESAMPLER}`,
    `alimiter=limit=${decimal(ceiling)}:attack=5:release=50:level=false:latency=true`,
    `aresample=${SAMPLE_RATE}:${RESAMPLER}`,
  ].join(',');
  return [
    ...mixGraph(audioInputs, { from: 0, until: samples }),
    `[mix]${audioInputs.length > 0 ? `${limiter},${PEAK_METER},` : ''}${exact}[sound]`,
  ];
};
