import { SAMPLE_RATE, type SoundStep } from '../scene/sound-step.ts';

/** Two times that are rounded to milliseconds miss each other by a millisecond at most. A sample and a half is for other rounding. */
const MAX_MISSED_SAMPLES = SAMPLE_RATE / 1000 + 1.5;

/** Seconds of the source that a step lasts, whatever its part. */
const lasts_s = ({ samples, speed }: SoundStep): number => (samples / SAMPLE_RATE) * speed;

/** Whether one step follows the other without a gap, in the composition and in the source. */
export const continues = (one: SoundStep, other: SoundStep): boolean => {
  const isNear = (one_s: number, other_s: number) => Math.abs(one_s - other_s) * SAMPLE_RATE <= MAX_MISSED_SAMPLES;
  const is_same = one.asset === other.asset && one.speed === other.speed && one.volume === other.volume;
  const is_next = Math.abs(one.starts_at_sample - other.starts_at_sample - other.samples) <= 1;
  const heard_s = Math.min(other.part_s ?? Number.POSITIVE_INFINITY, lasts_s(other));
  const goes_on = isNear(heard_s, lasts_s(other)) && isNear(one.trim_start_s, other.trim_start_s + lasts_s(other));
  return is_same && one.loop_samples === null && other.loop_samples === null && is_next && goes_on;
};

const beginningAt = (step: SoundStep, begins_s: number): SoundStep => {
  const part_s = step.part_s === null ? null : step.part_s + step.trim_start_s - begins_s;
  return { ...step, trim_start_s: begins_s, part_s };
};

/**
 * The steps by start, those that continue another one exactly where that ends in the source. A sound that is divided at a
 * time in milliseconds begins again up to a millisecond beside that: a step in its wave would click.
 */
export const withoutSeams = (steps: readonly SoundStep[]): readonly SoundStep[] => {
  const joined: SoundStep[] = [];
  for (const step of steps.toSorted((one, other) => one.starts_at_sample - other.starts_at_sample)) {
    const at = joined.findIndex((other) => continues(step, other));
    const before = joined[at];
    if (before === undefined) {
      joined.push(step);
      continue;
    }
    const part_s = before.part_s === null ? null : Math.max(before.part_s, lasts_s(before));
    joined[at] = { ...before, part_s };
    joined.push(beginningAt(step, before.trim_start_s + lasts_s(before)));
  }
  return joined;
};
