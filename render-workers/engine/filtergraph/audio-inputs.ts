import type { FrameRate } from '../../../domain/composition/frame-rate.ts';
import { type Fade, SAMPLE_RATE, type SoundStep } from '../scene/sound-step.ts';

/** A looped sound: it repeats after `period_samples`, and `times` repetitions take exactly `whole_samples`. */
export type Loop = {
  readonly period_samples: number;
  readonly times: number;
  readonly whole_samples: number;
};

/** One input of a mix. Samples are of the composition at 48 kHz, seconds of the source. */
export type AudioInput = {
  /** Whose file is read. */
  readonly asset: string;
  readonly file_starts_s: number;
  readonly trim_start_s: number;
  /** Of the source; null: up to its end. */
  readonly part_s: number | null;
  readonly speed: number;
  readonly loop: Loop | null;
  /** Its position in the composition, and its greatest length. */
  readonly at_sample: number;
  readonly samples: number;
  readonly volume: number;
  /** Fades of its layer, which begins `offset_samples` earlier and lasts `layer_samples`. */
  readonly offset_samples: number;
  readonly layer_samples: number;
  readonly fade_in: Fade;
  readonly fade_out: Fade;
};

/** Memory for the bodies of all loops; longer bodies are read again for each repetition. */
const LOOPS_BYTES = 256 * 1024 * 1024;
const SAMPLE_BYTES = 8;
/** The largest error of a loop's last repetition: half a millisecond. */
const MOST_DRIFT_SAMPLES = 24;

/** A period is not always a whole number of samples; this is the number of periods that together are, or nearly. */
const loopOf = (period: number, samples: number): Loop => {
  for (let times = 1; ; times += 1) {
    const whole_samples = Math.round(times * period);
    const drift = (Math.abs(times * period - whole_samples) * samples) / whole_samples;
    if (drift <= MOST_DRIFT_SAMPLES) return { period_samples: Math.round(period), times, whole_samples };
  }
};

const turns = (audioInput: AudioInput, period: number): readonly AudioInput[] =>
  Array.from({ length: Math.ceil(audioInput.samples / period) }, (_, turn) => {
    const offset = Math.round(turn * period);
    const samples = Math.min(Math.round((turn + 1) * period), audioInput.samples) - offset;
    return { ...audioInput, at_sample: audioInput.at_sample + offset, samples, offset_samples: offset };
  }).filter(({ samples }) => samples > 0);

/** All audio inputs of a mix, by start. A loop that is too long for memory becomes one input for each repetition. */
export const audioInputsOf = (
  steps: readonly SoundStep[],
  fps: FrameRate,
  loops_bytes: number = LOOPS_BYTES,
): readonly AudioInput[] => {
  let held_bytes = 0;
  const audioInputs = steps.flatMap((step): readonly AudioInput[] => {
    const { loop_frames, starts_at_sample, ...rest } = step;
    const { samples } = step;
    const audioInput: AudioInput = {
      ...rest,
      at_sample: starts_at_sample,
      loop: null,
      offset_samples: 0,
      layer_samples: samples,
    };
    const period = ((loop_frames ?? Number.POSITIVE_INFINITY) * fps.den * SAMPLE_RATE) / fps.num;
    if (samples <= 0 || step.volume === 0) return [];
    if (samples <= period) return [audioInput];
    const loop = loopOf(period, samples);
    const bytes = loop.whole_samples * SAMPLE_BYTES;
    if (held_bytes + bytes > loops_bytes) return turns(audioInput, period);
    held_bytes += bytes;
    return [{ ...audioInput, loop }];
  });
  return audioInputs.toSorted((a, b) => a.at_sample - b.at_sample);
};
