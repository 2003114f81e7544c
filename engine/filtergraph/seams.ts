import { type AudioClip, SAMPLE_RATE } from '../scene/sound-step.ts';

/**
 * Two sounds with at most this gap in the source are continuous. The gap is a millisecond, to which times are rounded,
 * and 1.5 samples for other rounding.
 */
const MAX_GAP_SAMPLES = SAMPLE_RATE / 1000 + 1.5;

const sourceSeconds = ({ samples, speed }: AudioClip): number => (samples / SAMPLE_RATE) * speed;

export const isSoundContinuation = (one: AudioClip, other: AudioClip): boolean => {
  const isNear = (one_s: number, other_s: number) => Math.abs(one_s - other_s) * SAMPLE_RATE <= MAX_GAP_SAMPLES;
  const is_same = one.asset === other.asset && one.speed === other.speed && one.volume === other.volume;
  const is_next = Math.abs(one.starts_at_sample - other.starts_at_sample - other.samples) <= 1;
  const played_s = Math.min(other.part_s ?? Number.POSITIVE_INFINITY, sourceSeconds(other));
  const is_continuous =
    isNear(played_s, sourceSeconds(other)) && isNear(one.trim_start_s, other.trim_start_s + sourceSeconds(other));
  return is_same && one.loop_samples === null && other.loop_samples === null && is_next && is_continuous;
};

const withStart = (step: AudioClip, begins_s: number): AudioClip => {
  const part_s = step.part_s === null ? null : step.part_s + step.trim_start_s - begins_s;
  return { ...step, trim_start_s: begins_s, part_s };
};

/**
 * Sounds are divided at times in milliseconds, so two adjacent parts could be off by a millisecond, and click. Each
 * step that continues another one therefore begins exactly at the other's end in the source.
 */
export const joinAdjacentSounds = (steps: readonly AudioClip[]): readonly AudioClip[] => {
  const result: AudioClip[] = [];
  for (const step of steps.toSorted((one, other) => one.starts_at_sample - other.starts_at_sample)) {
    const at = result.findIndex((other) => isSoundContinuation(step, other));
    const before = result[at];
    if (before === undefined) {
      result.push(step);
      continue;
    }
    const part_s = before.part_s === null ? null : Math.max(before.part_s, sourceSeconds(before));
    result[at] = { ...before, part_s };
    result.push(withStart(step, before.trim_start_s + sourceSeconds(before)));
  }
  return result;
};
