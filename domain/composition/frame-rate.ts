import * as t from 'io-ts';
import { Shape } from '../shape/shape.ts';
import { LIMITS } from './limits.ts';

export type FrameRate = { readonly num: number; readonly den: number };

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
const reduced = (num: number, den: number): FrameRate => {
  const divisor = gcd(num, den);
  return { num: num / divisor, den: den / divisor };
};

const TELEVISION: ReadonlyMap<number, FrameRate> = new Map([
  [23.976, { num: 24000, den: 1001 }],
  [23.98, { num: 24000, den: 1001 }],
  [29.97, { num: 30000, den: 1001 }],
  [59.94, { num: 60000, den: 1001 }],
  [119.88, { num: 120000, den: 1001 }],
]);

/** At most six digits: ffmpeg cuts and joins videos in whole microseconds, so a time base must not be finer. */
const DIGITS = /^(\d{1,6})(?:\/(\d{1,6}))?$/;
const WHOLE = { type: 'integer', minimum: 1, maximum: 999_999 };

const rateOf = (written: unknown): FrameRate | null => {
  if (typeof written === 'number') {
    const known = TELEVISION.get(written);
    if (known !== undefined) return known;
    const thousandths = Math.round(written * 1000);
    return written > 0 && thousandths / 1000 === written ? reduced(thousandths, 1000) : null;
  }
  if (typeof written === 'string') {
    const match = DIGITS.exec(written);
    if (match === null) return null;
    const num = Number(match[1]);
    const den = Number(match[2] ?? '1');
    return num > 0 && den > 0 ? reduced(num, den) : null;
  }
  if (typeof written === 'object' && written !== null && 'num' in written && 'den' in written) {
    const { num, den } = written;
    return typeof num === 'number' && typeof den === 'number' ? rateOf(`${num}/${den}`) : null;
  }
  return null;
};

/** Decodes 30, 29.97, "30000/1001" and the stored form {num, den}. */
export const FrameRate = new Shape<FrameRate>(
  'a frame rate',
  (u): u is FrameRate => typeof u === 'object' && rateOf(u) !== null,
  (u, context) => {
    if (u === undefined) return t.failure(u, context);
    const rate = rateOf(u);
    if (rate === null) return t.failure(u, context, 'must be a number or a fraction like "30000/1001"');
    if (rate.num > LIMITS.fps * rate.den) return t.failure(u, context, `must be <= ${LIMITS.fps}`);
    if (rate.num < rate.den) return t.failure(u, context, 'must be >= 1');
    return t.success(rate);
  },
  {
    anyOf: [
      { type: 'number', minimum: 1, maximum: LIMITS.fps },
      { type: 'string', pattern: DIGITS.source },
      { type: 'object', properties: { num: WHOLE, den: WHOLE }, required: ['num', 'den'] },
    ],
  },
);

/** At least one frame. */
export const framesOf = (duration_s: number, fps: FrameRate): number =>
  Math.max(1, Math.round((duration_s * fps.num) / fps.den));

/**
 * The first frame n with n/fps >= time. A layer shows from the frame of its start, and up to the frame before that of
 * its end. The tolerance is a millionth of a frame, because of sums like 0.1 + 0.2.
 */
export const frameAt = (time_s: number, fps: FrameRate): number =>
  // Without the addition, time 0 gives frame -0, which Object.is distinguishes from 0.
  Math.ceil((time_s * fps.num) / fps.den - 1e-6) + 0;

/** Where the last frame of a video ends, in seconds. */
export const lengthSeconds = ({ duration, fps }: { readonly duration: number; readonly fps: FrameRate }): number =>
  (framesOf(duration, fps) * fps.den) / fps.num;

/** False at or after the end. Because of rounding, the last microsecond counts as the end. */
export const isBeforeEnd = (at_s: number, length_s: number): boolean => at_s < length_s - 1e-6;
