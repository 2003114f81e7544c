import type { Downmix } from '../media/downmix.ts';
import type { AudioClip, GroupFades, SoundFade } from '../scene/sound-step.ts';
import { isSoundContinuation, joinAdjacentSounds } from './seams.ts';

/** The loop repeats after `period_samples`; `times` repetitions take exactly `whole_samples`. */
export type AudioLoop = {
  readonly period_samples: number;
  readonly times: number;
  readonly whole_samples: number;
};

/** Sample counts refer to the composition at 48 kHz, seconds to the source file. */
export type AudioInput = {
  readonly asset: string;
  readonly track: number;
  readonly file_starts_s: number;
  /** False if the file's timestamps are rounded or drift slightly. */
  readonly exact_times: boolean;
  readonly downmix: Downmix;
  readonly chained?: true;
  readonly trim_start_s: number;
  readonly part_s: number | null;
  readonly speed: number;
  readonly loop: AudioLoop | null;
  /** Position in the composition; `samples` is the maximum length. */
  readonly at_sample: number;
  readonly samples: number;
  readonly volume: number;
  /** The fades belong to the layer, which begins `offset_samples` earlier and lasts `layer_samples`. */
  readonly offset_samples: number;
  readonly layer_samples: number;
  readonly fade_in: SoundFade;
  readonly fade_out: SoundFade;
  readonly group_fades?: readonly GroupFades[];
  /** Samples of the fades at the start and end of each repetition, if the looped part is cut out of a longer sound. */
  readonly turn_in: number;
  readonly turn_out: number;
};

/** 3 ms. Without such a fade, sound that begins or ends within a wave clicks. */
const EDGE_SAMPLES = 144;

/** Memory for one repetition of each loop. A loop that no longer fits reads its source again for each repetition. */
const MAX_LOOPS_BYTES = 256 * 1024 * 1024;
const SAMPLE_BYTES = 8;
/** Maximum error in the position of a loop's last repetition: half a millisecond. */
const MAX_DRIFT_SAMPLES = 24;

/**
 * A period may be a fractional number of samples. Finds the first number of periods whose total is nearly a whole
 * number.
 */
const loopOf = (period: number, samples: number): AudioLoop => {
  for (let times = 1; ; times += 1) {
    const whole_samples = Math.round(times * period);
    const drift = (Math.abs(times * period - whole_samples) * samples) / whole_samples;
    if (drift <= MAX_DRIFT_SAMPLES) return { period_samples: Math.round(period), times, whole_samples };
  }
};

const repetitions = (audioInput: AudioInput, period: number): readonly AudioInput[] =>
  Array.from({ length: Math.ceil(audioInput.samples / period) }, (_, turn) => {
    const offset = Math.round(turn * period);
    const samples = Math.min(Math.round((turn + 1) * period), audioInput.samples) - offset;
    return { ...audioInput, at_sample: audioInput.at_sample + offset, samples, offset_samples: offset };
  }).filter(({ samples }) => samples > 0);

const withMinFade = (fade: SoundFade, samples: number): SoundFade =>
  fade.samples >= EDGE_SAMPLES
    ? fade
    : { samples: Math.min(EDGE_SAMPLES, Math.floor(samples / 2)), curve: 'equal_gain' };

/** If a layer begins or ends in the middle of the source's sound, it gets at least a short fade there. */
const fadesOf = (step: AudioClip, steps: readonly AudioClip[]): Pick<AudioInput, 'fade_in' | 'fade_out'> => {
  const { fade_in, fade_out, is_cut, samples, loop_samples } = step;
  const needs_fade_in = is_cut.before && !steps.some((other) => isSoundContinuation(step, other));
  // A loop ends when its layer ends, which may be in the middle of the sound.
  const needs_fade_out =
    (is_cut.after || loop_samples !== null) && !steps.some((other) => isSoundContinuation(other, step));
  return {
    fade_in: needs_fade_in ? withMinFade(fade_in, samples) : fade_in,
    fade_out: needs_fade_out ? withMinFade(fade_out, samples) : fade_out,
  };
};

/** Inputs are sorted by their start. A loop that is too long for memory becomes one input for each repetition. */
export const audioInputsOf = (
  layers: readonly AudioClip[],
  loops_bytes: number = MAX_LOOPS_BYTES,
): readonly AudioInput[] => {
  let used_bytes = 0;
  const steps = joinAdjacentSounds(layers);
  const audioInputs = steps.flatMap((step): readonly AudioInput[] => {
    const { loop_samples, is_cut, starts_at_sample, ...rest } = step;
    const { samples } = step;
    const turn = loop_samples === null ? 0 : Math.min(EDGE_SAMPLES, Math.floor(loop_samples / 2));
    const audioInput: AudioInput = {
      ...rest,
      ...fadesOf(step, steps),
      turn_in: is_cut.before ? turn : 0,
      turn_out: is_cut.after ? turn : 0,
      at_sample: starts_at_sample,
      exact_times: false,
      loop: null,
      offset_samples: 0,
      layer_samples: samples,
    };
    const period = loop_samples ?? Number.POSITIVE_INFINITY;
    if (samples <= 0 || step.volume === 0) return [];
    if (samples <= period) return [audioInput];
    const loop = loopOf(period, samples);
    const bytes = loop.whole_samples * SAMPLE_BYTES;
    if (used_bytes + bytes > loops_bytes) return repetitions(audioInput, period);
    used_bytes += bytes;
    return [{ ...audioInput, loop }];
  });
  return audioInputs.toSorted((a, b) => a.at_sample - b.at_sample);
};
