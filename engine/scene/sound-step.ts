import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import type { MediaLayer } from '../../domain/composition/layers.ts';
import { trimmedFrames } from '../../domain/composition/trimmed-frames.ts';
import type { SourceSound } from '../media/source-sound.ts';

export const SAMPLE_RATE = 48_000;

/** Gain at fraction t of a fade: t, or sin(πt/2), with which two cross-fading sounds keep equal power. */
export type FadeCurve = 'equal_gain' | 'equal_power';

export type SoundFade = { readonly samples: number; readonly curve: FadeCurve };

/** The layer begins `offset_samples` after the group, which lasts `samples`. */
export type GroupFades = {
  readonly offset_samples: number;
  readonly samples: number;
  readonly fade_in: SoundFade;
  readonly fade_out: SoundFade;
};

/** Sample counts refer to the composition, seconds to the source. */
export type AudioClip = SourceSound & {
  readonly asset: string;
  readonly starts_at_sample: number;
  /** Maximum duration in samples. After the source's end there is silence. */
  readonly samples: number;
  /** The part of the source that plays; null: up to its end. */
  readonly trim_start_s: number;
  readonly part_s: number | null;
  /** Playback speed, without a change of pitch. */
  readonly speed: number;
  /** Samples of the composition after which the part loops, possibly fractional; null if it does not loop. */
  readonly loop_samples: number | null;
  /** Whether the source has more sound before the part that plays, and after it. */
  readonly is_cut: { readonly before: boolean; readonly after: boolean };
  readonly volume: number;
  readonly fade_in: SoundFade;
  readonly fade_out: SoundFade;
  /** Fades of the groups around the layer. */
  readonly group_fades?: readonly GroupFades[];
};

/** Minimum length of a repetition. A shorter part is followed by silence up to this length. */
const MIN_LOOP_S = 0.01;

/** Returns seconds of the composition. A video's sound loops with its picture, in whole frames. */
const loopLength = (layer: MediaLayer, source_s: number, fps: FrameRate): number => {
  const { type, trim_start, trim_end, speed } = layer;
  if (type === 'video') return (trimmedFrames(layer, source_s, fps) * fps.den) / fps.num;
  return Math.max(MIN_LOOP_S, (Math.min(trim_end ?? source_s, source_s) - trim_start) / speed);
};

/** A source with a shorter rest counts as played to its end. */
const MAX_REST_S = 0.001;

const endsBeforeSource = (
  { trim_start, trim_end, speed, loop }: MediaLayer,
  source_s: number,
  samples: number,
): boolean => {
  const played_s = (samples / SAMPLE_RATE) * speed;
  const stops_at_s = Math.min(trim_end ?? Number.POSITIVE_INFINITY, loop ? source_s : trim_start + played_s);
  return stops_at_s < source_s - MAX_REST_S;
};

export const samplesIn = (time_s: number): number => Math.round(time_s * SAMPLE_RATE);

export type FadeDuration = { readonly duration: number; readonly curve: FadeCurve };

type AudioOptions = {
  readonly fade_in: FadeDuration;
  readonly fade_out: FadeDuration;
  /** Start and end of the layer, in seconds of the composition, limited to its duration. */
  readonly start_s: number;
  readonly end_s: number;
  /** End of the source, in its own seconds; for a video, of its picture. */
  readonly source_s: number;
  readonly source: SourceSound;
  readonly fps: FrameRate;
};

export const audioClipOf = (
  layer: MediaLayer,
  { fade_in, fade_out, start_s, end_s, source_s, source, fps }: AudioOptions,
): AudioClip | null => {
  const { asset, trim_start, trim_end, speed, loop, volume } = layer;
  const starts_at_sample = samplesIn(start_s);
  const samples = samplesIn(end_s) - starts_at_sample;
  if (samples <= 0 || volume === 0) return null;
  const within = ({ duration, curve }: FadeDuration): SoundFade => ({
    samples: Math.min(samples, samplesIn(duration)),
    curve,
  });
  return {
    asset,
    ...source,
    starts_at_sample,
    samples,
    trim_start_s: trim_start,
    part_s: trim_end === null ? null : trim_end - trim_start,
    speed,
    loop_samples: loop ? loopLength(layer, source_s, fps) * SAMPLE_RATE : null,
    is_cut: { before: trim_start > 0, after: endsBeforeSource(layer, source_s, samples) },
    volume,
    fade_in: within(fade_in),
    fade_out: within(fade_out),
  };
};
