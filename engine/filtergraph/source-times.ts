import type { Span } from '../../domain/composition/extents.ts';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import { concatEntry } from '../process/ffmpeg-arguments.ts';
import type { VideoStep } from '../scene/scene.ts';
import { decimal, operand } from './expressions.ts';

/**
 * A source frame may be shown this part of a frame early, as containers round times. No common ratio of two frame rates
 * is near it, so rounding never decides between two source frames.
 */
const EARLY_FRAMES = 0.0973;
/** Seconds before the needed frame at which decoding begins at the latest: from the key frame before that. */
const AHEAD_S = 0.5;
/** Seconds after the end of a loop until which it is read. */
const BEHIND_S = 1;
/** Times of one loop of a looped source: more than a day, so that no source is longer and a time tells its loop. */
export const ROUND_S = 200_000;

const microseconds = (time_s: number): number => Math.round(time_s * 1e6);
const early = ({ num, den }: FrameRate): number => microseconds((EARLY_FRAMES * den) / num);

/** Copies of a source's last frame, each one frame of the source later: more than it has in one frame of a film. */
const COPIES = 64;

/**
 * A last frame that begins and ends between two frames of the grid would be in none. So that it stays, copies of it follow
 * until after the next one.
 */
const LAST_STAYS = `tpad=stop=${COPIES}:stop_mode=clone`;

/**
 * The grid of frames, and those of `own` that show; frame `starts` is the first of the grid, where it has one, and
 * shows the first source frame if that comes later. There is always a source frame before the end, as the last one
 * stays.
 */
export const onGrid = ({ num, den }: FrameRate, own: Span, starts: number | null): readonly string[] => [
  `fps=fps=${num}/${den}:round=up${starts === null ? '' : `:start_time=${decimal((starts * den) / num)}`}`,
  'tpad=stop=-1:stop_mode=clone',
  `trim=start_pts=${own.from}:end_pts=${own.until}`,
];

/** Where to begin reading to find frame `frame` of one loop: seconds after the file's start. */
const readsFrom = ({ part, seekable }: VideoStep, frame: number, { num, den }: FrameRate): number => {
  if (!seekable) return 0;
  const shown_s = part.begins_s + ((frame * den) / num) * part.speed;
  return Math.max(0, Math.min(shown_s, part.ends_s) - AHEAD_S);
};

/** Half the distance of key frames that encoders choose most often, ten seconds. */
const USUAL_DISTANCE_S = 5;

/** Seconds of the source that are decoded before the one that frame `frame` of the layer shows, when reading begins for it. */
export const decodedBefore = (step: VideoStep, frame: number, fps: FrameRate): number => {
  const own = step.part.body === null ? frame : frame % step.part.body;
  const shown_s = readsFrom({ ...step, seekable: true }, own, fps) + AHEAD_S;
  const from_s = readsFrom(step, own, fps);
  if (from_s === 0) return shown_s;
  const key_frame_s = step.key_frames_s.findLast((at_s) => at_s <= from_s);
  return key_frame_s === undefined ? USUAL_DISTANCE_S : shown_s - key_frame_s;
};

/** For a source that is played once. */
export const seekOf = (step: VideoStep, own: Span, fps: FrameRate): number => readsFrom(step, own.from, fps);

/** Of microseconds: times of frames and of a part's beginning are rounded to them. */
const ROUNDING_US = 2;

/**
 * The early shift of a frame. The end has a time, too: the last frame's and its length. ffmpeg 5.1 says of some MP4s that this
 * is one tick, and a last frame that ends before it may be shown would be left out; so what is one tick later is not
 * shifted, where ticks are short.
 */
const earlyBy = (shift_us: number, { tick_s }: VideoStep): string => {
  const tick_us = microseconds(tick_s);
  if (shift_us === 0) return '';
  if (tick_us > shift_us) return `-${shift_us}`;
  return `-${ROUNDING_US}-${shift_us - ROUNDING_US}*not(lte(PTS-PREV_INPTS,${tick_us + 1}))`;
};

const played = (time: string, speed: number): string => (speed === 1 ? time : `floor((${time})/${decimal(speed)})`);

/**
 * The source frames on the layer's grid. Where reading begins at the file's start, so does the grid, so that a late
 * first frame is used; its frames are then counted from there, and from the layer's after it. Otherwise it begins with
 * the first frame that is read: if that comes after the first one that is needed, as where the picture of a file begins
 * seconds after its sound, it is moved there.
 */
export const playedOnce = (step: VideoStep, own: Span, fps: FrameRate): readonly string[] => {
  const { begins_s, cut_s, ends_s, speed } = step.part;
  // All frames of a shorter source would be before the grid.
  const is_longer = microseconds(ends_s) / speed > early(fps);
  const begin = microseconds(step.file_starts_s + begins_s);
  const cut = cut_s === null ? null : microseconds(step.file_starts_s + cut_s) - Math.round(early(fps) * speed);
  const whole = seekOf(step, own, fps) === 0;
  const before = whole ? Math.ceil((begins_s / speed) * (fps.num / fps.den)) : 0;
  const later = microseconds((before * fps.den) / fps.num);
  const at = `${played(`PTS-${operand(begin)}`, speed)}+${later}${earlyBy(is_longer ? early(fps) : 0, step)}`;
  const needed = microseconds((own.from * fps.den) / fps.num) - ROUNDING_US;
  return [
    'settb=1/1000000',
    ...(cut === null ? [] : [`trim=end_pts=${cut}`]),
    whole ? `setpts='${at}'` : `setpts='if(N,${at},min(${at},${operand(needed)}))'`,
    LAST_STAYS,
    ...onGrid(fps, { from: own.from + before, until: own.until + before }, whole ? 0 : null),
    ...(before === 0 ? [] : [`setpts=PTS-${before}`]),
  ];
};

/** The loops that show on the frames `own`: the first of them, and their number. */
const roundsOf = (body: number, own: Span) => {
  const first = Math.floor(own.from / body);
  return { first, count: Math.floor((own.until - 1) / body) - first + 1 };
};

/** Seconds before a file without an index at which a loop enters it: ffmpeg passes by the first frame where it seeks to that. */
const BEFORE_FIRST_S = 1;

/** After the file's start, in whole seconds, so that no time base rounds them. */
const roundStart = (step: VideoStep, frame: number, fps: FrameRate): number =>
  step.seekable ? Math.floor(Math.max(0, readsFrom(step, frame, fps))) : -BEFORE_FIRST_S;

const entry = (path: string, ...rest: readonly string[]): string =>
  [concatEntry(path), ...rest, `duration ${ROUND_S}`].join('\n');

/**
 * The concat list by which ffmpeg reads a part repeatedly: one entry for each loop, each with times of its own. A first
 * entry makes the list begin at the file's start, whatever comes first in the file.
 */
export const roundList = (step: VideoStep, path: string, own: Span, fps: FrameRate): string => {
  const { body, ends_s } = step.part;
  if (body === null) return '';
  const { first, count } = roundsOf(body, own);
  const round = (index: number): string => {
    const start = roundStart(step, index === 0 ? own.from - first * body : 0, fps);
    // Frames that a decoder delays at the end of a loop are then past what is shown.
    const stop = `outpoint ${decimal(step.file_starts_s + ends_s + BEHIND_S)}`;
    return entry(path, `inpoint ${decimal(step.file_starts_s + start)}`, stop);
  };
  const rounds = Array.from({ length: count }, (_, index) => round(index));
  return `${['ffconcat version 1.0', entry(path, `outpoint ${decimal(step.file_starts_s + 0.000001)}`), ...rounds].join('\n')}\n`;
};

/** The part of its source that ffmpeg reads for these frames of a layer, in seconds after the file's start. */
export const partRead = (
  step: VideoStep,
  own: Span,
  fps: FrameRate,
): { readonly from_s: number; readonly until_s: number } => {
  const { body, begins_s, ends_s, speed } = step.part;
  if (body !== null) return { from_s: Math.max(0, roundStart(step, 0, fps)), until_s: ends_s + BEHIND_S };
  const shown_s = begins_s + ((own.until * fps.den) / fps.num) * speed;
  return { from_s: seekOf(step, own, fps), until_s: Math.min(shown_s, ends_s) + BEHIND_S };
};

/**
 * Converts times of the list to times of the layer, each loop's to where the loop's body begins again. The first frame of a
 * loop is shown from there, however late it comes.
 */
export const playedInRounds = (step: VideoStep, own: Span, fps: FrameRate): readonly string[] => {
  const { body, begins_s, cut_s, speed } = step.part;
  if (body === null) return [];
  const { first } = roundsOf(body, own);
  const microsecondsIn = (frames: number): number => microseconds((frames * fps.den) / fps.num);
  const room = ROUND_S * 1e6;
  const starts = [roundStart(step, own.from - first * body, fps), roundStart(step, 0, fps)].map(
    (start) => start * 1e6 - microseconds(begins_s),
  );
  const [one, others] = [starts[0] ?? 0, starts[1] ?? 0];
  const round = (time: string): string => `floor(${time}/${room}+0.5)`;
  /** Time of the source since the beginning of the part. */
  const since = (time: string): string =>
    `(${time}-${round(time)}*${room}+${one === others ? operand(one) : `if(eq(${round(time)},1),${operand(one)},${operand(others)})`})`;
  const slack = early(fps);
  const within = Math.min(
    microsecondsIn(body) * speed,
    cut_s === null ? Number.POSITIVE_INFINITY : microseconds(cut_s - begins_s),
  );
  const end = Math.round(within - slack * speed);
  const at = `round((${round('PTS')}-1)*${decimal((body * fps.den * 1e6) / fps.num)})+${microsecondsIn(first * body)}`;
  return [
    'settb=1/1000000',
    `select='gte(pts,${room / 2})*lt(${since('pts')},${end})'`,
    `setpts='${at}+eq(${round('PTS')},${round('PREV_INPTS')})*max(0,${played(since('PTS'), speed)})${earlyBy(slack, step)}'`,
    ...onGrid(fps, own, first * body),
  ];
};
