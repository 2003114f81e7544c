import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import type { MediaLayer } from '../../domain/composition/layers.ts';
import type { SourceSound } from '../media/source-sound.ts';

/** Samples per second of every mix. */
export const SAMPLE_RATE = 48_000;

/** How loud it is t of the way into a fade: t, or sin(πt/2), by which what comes and what goes sum up to equal power. */
export type FadeCurve = 'equal_gain' | 'equal_power';

/** A layer's fade at one end; 0 samples: none. */
export type Fade = { readonly samples: number; readonly curve: FadeCurve };

/** The audio of one layer. Samples are of the composition, seconds of the source. */
export type SoundStep = SourceSound & {
  readonly asset: string;
  readonly starts_at_sample: number;
  /** Longest duration; silence after the source's end. */
  readonly samples: number;
  /** The part of the source that plays; null: up to its end. */
  readonly trim_start_s: number;
  readonly part_s: number | null;
  /** Playback speed, at the source's pitch. */
  readonly speed: number;
  /** Samples of the composition after which the part loops, not always a whole number; null: it does not. */
  readonly loop_samples: number | null;
  /** Whether the source has more sound before the part that plays, and after it. */
  readonly is_cut: { readonly before: boolean; readonly after: boolean };
  readonly volume: number;
  readonly fade_in: Fade;
  readonly fade_out: Fade;
};

/**
 * How many frames of the composition the part of a source lasts that a layer plays, at least one. `source_s`: where the
 * source ends, in seconds.
 */
export const bodyFrames = (
  { trim_start, trim_end, speed }: Pick<MediaLayer, 'trim_start' | 'trim_end' | 'speed'>,
  source_s: number,
  fps: FrameRate,
): number => {
  const part_s = Math.min(trim_end ?? source_s, source_s) - trim_start;
  return Math.max(1, Math.round((part_s / speed) * (fps.num / fps.den)));
};

/** Shorter parts are followed by silence. */
const MIN_LOOP_S = 0.01;

/** Seconds of the composition after which a layer's part begins again. A video's sound loops with its picture, in whole frames. */
const loopedAfter = (layer: MediaLayer, source_s: number, fps: FrameRate): number => {
  const { type, trim_start, trim_end, speed } = layer;
  if (type === 'video') return (bodyFrames(layer, source_s, fps) * fps.den) / fps.num;
  return Math.max(MIN_LOOP_S, (Math.min(trim_end ?? source_s, source_s) - trim_start) / speed);
};

/** A source that is longer by less is played to its end. */
const MISSED_S = 0.001;

/** Whether a layer ends before its source does. */
const isLeftEarly = ({ trim_start, trim_end, speed, loop }: MediaLayer, source_s: number, samples: number): boolean => {
  const heard_s = (samples / SAMPLE_RATE) * speed;
  const left_at_s = Math.min(trim_end ?? Number.POSITIVE_INFINITY, loop ? source_s : trim_start + heard_s);
  return left_at_s < source_s - MISSED_S;
};

const samplesIn = (time_s: number): number => Math.round(time_s * SAMPLE_RATE);

/** Seconds, and the curve. */
export type FadeOf = { readonly duration: number; readonly curve: FadeCurve };

type Heard = {
  readonly fade_in: FadeOf;
  readonly fade_out: FadeOf;
  /** When the layer begins and ends, in seconds of the composition, cut at its end. */
  readonly start_s: number;
  readonly end_s: number;
  /** Where the source ends, in seconds of its own: of a video, its picture. */
  readonly source_s: number;
  /** Which of the file's tracks is heard, and how. */
  readonly source: SourceSound;
  readonly fps: FrameRate;
};

/** The audio of a layer; null if it is silent. */
export const soundStepOf = (
  layer: MediaLayer,
  { fade_in, fade_out, start_s, end_s, source_s, source, fps }: Heard,
): SoundStep | null => {
  const { asset, trim_start, trim_end, speed, loop, volume } = layer;
  const starts_at_sample = samplesIn(start_s);
  const samples = samplesIn(end_s) - starts_at_sample;
  if (samples <= 0 || volume === 0) return null;
  const within = ({ duration, curve }: FadeOf): Fade => ({ samples: Math.min(samples, samplesIn(duration)), curve });
  return {
    asset,
    ...source,
    starts_at_sample,
    samples,
    trim_start_s: trim_start,
    part_s: trim_end === null ? null : trim_end - trim_start,
    speed,
    loop_samples: loop ? loopedAfter(layer, source_s, fps) * SAMPLE_RATE : null,
    is_cut: { before: trim_start > 0, after: isLeftEarly(layer, source_s, samples) },
    volume,
    fade_in: within(fade_in),
    fade_out: within(fade_out),
  };
};
