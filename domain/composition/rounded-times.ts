import type { TimedFlatLayer } from './flat-layers.ts';
import type { FrameRate } from './frame-rate.ts';
import type { Keyframes } from './keyframes.ts';
import type { Group, PlacedLayer } from './layers.ts';
import { LIMITS } from './limits.ts';

/*
 * Edit lists and captions have times in milliseconds: frame 14 at 30 fps begins at 0.466667 s, written as 0.467. This
 * file maps such a time back to the frame, for picture and sound.
 */

/** Rounding to milliseconds changes a time by at most 0.5 ms; 1e-9 allows for floating-point errors. */
const MAX_ROUNDING_S = 0.0005 + 1e-9;
/**
 * The limit at high frame rates, in frames: there, half a millisecond is a larger part of a frame and may be intended.
 */
const MAX_ROUNDING_FRAMES = 0.1;

/** Null if no frame is within half a millisecond and a tenth of a frame. */
const momentNear = (time_s: number, { num, den }: FrameRate): number | null => {
  const frame = Math.round((time_s * num) / den);
  const moment_s = (frame * den) / num;
  const tolerance_s = Math.min(MAX_ROUNDING_S, (MAX_ROUNDING_FRAMES * den) / num);
  return Math.abs(moment_s - time_s) <= tolerance_s && moment_s <= LIMITS.duration_s ? moment_s : null;
};

/**
 * The exact time, in seconds, of the frame whose time was rounded to this one. A time that is near no frame does not
 * change. The order of times stays the same.
 */
export const roundedTime = (time_s: number, fps: FrameRate): number => momentNear(time_s, fps) ?? time_s;

/**
 * The exact end of an interval. Either its end is a rounded time of a frame, or both its start and its duration are.
 */
const endOf = (start_s: number, duration_s: number, fps: FrameRate): number => {
  const end_s = momentNear(start_s + duration_s, fps);
  if (end_s !== null) return end_s;
  const [start, duration] = [momentNear(start_s, fps), momentNear(duration_s, fps)];
  return start === null || duration === null ? start_s + duration_s : start + duration;
};

/** Corrects the start and the duration of an interval. An interval that would become empty does not change. */
export const roundedInterval = (
  start_s: number,
  duration_s: number,
  fps: FrameRate,
): { start: number; duration: number } => {
  const start = roundedTime(start_s, fps);
  const duration = endOf(start_s, duration_s, fps) - start;
  return duration > 0 ? { start, duration } : { start: start_s, duration: duration_s };
};

/**
 * Goes from last to first, so that times stay strictly increasing. If two keyframes are near the same frame, only the
 * later one gets its exact time.
 */
const roundedKeyframes = <K extends { readonly time: number }>(
  keyframes: readonly K[],
  fps: FrameRate,
): readonly K[] => {
  const rounded = [...keyframes];
  for (const [index, keyframe] of [...keyframes.entries()].reverse()) {
    const time = momentNear(keyframe.time, fps);
    const before = keyframes[index - 1]?.time ?? Number.NEGATIVE_INFINITY;
    const after = rounded[index + 1]?.time ?? Number.POSITIVE_INFINITY;
    if (time !== null && before < time && time < after) rounded[index] = { ...keyframe, time };
  }
  return rounded;
};

const keyframesOf = ({ position, opacity, scale }: Keyframes, fps: FrameRate): Keyframes => ({
  position: roundedKeyframes(position, fps),
  opacity: roundedKeyframes(opacity, fps),
  scale: roundedKeyframes(scale, fps),
});

const seen = <L extends PlacedLayer | Group>(layer: L, fps: FrameRate): L => {
  const transition = 'transition' in layer ? layer.transition : null;
  const duration = transition === null ? null : roundedInterval(layer.start, transition.duration, fps).duration;
  return {
    ...layer,
    keyframes: keyframesOf(layer.keyframes, fps),
    ...(transition === null || duration === null ? {} : { transition: { ...transition, duration } }),
  };
};

export const withRoundedTimes = (layer: TimedFlatLayer, fps: FrameRate): TimedFlatLayer => {
  const { start, duration } = layer;
  const times =
    typeof duration === 'number' ? roundedInterval(start, duration, fps) : { start: roundedTime(start, fps) };
  return { ...(layer.type === 'audio' ? layer : seen(layer, fps)), ...times };
};
