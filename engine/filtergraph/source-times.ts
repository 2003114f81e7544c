import type { FrameSpan } from '../../domain/composition/extents.ts';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import { concatEntry } from '../process/ffmpeg-arguments.ts';
import type { VideoStep } from '../scene/scene.ts';
import { decimal, parenthesizedOperand } from './expressions.ts';

/**
 * Containers round timestamps, so a source frame may be shown early by this fraction of a frame. No common ratio of two
 * frame rates is close to it, so rounding never decides between two source frames.
 */
const EARLY_FRAMES = 0.0973;
/** Decoding begins at the last key frame that is at least this many seconds before the needed frame. */
const AHEAD_S = 0.5;
/** Seconds that are read beyond the end of a loop. */
const BEHIND_S = 1;
/**
 * Distance in time between two repetitions of a loop. No source lasts this long (two days), so a timestamp identifies
 * its repetition.
 */
export const REPETITION_OFFSET_S = 200_000;

const microseconds = (time_s: number): number => Math.round(time_s * 1e6);
const early = ({ num, den }: FrameRate): number => microseconds((EARLY_FRAMES * den) / num);

/**
 * Copies of a source's last frame, one source frame apart. No frame of the output lasts longer than this many source
 * frames.
 */
const COPIES = 64;

/** Without copies, a last frame that begins and ends between two frames of the grid would be dropped. */
const HOLD_LAST = `tpad=stop=${COPIES}:stop_mode=clone`;

/** The grid begins at frame `starts`, if given. The last source frame repeats, so the source never ends early. */
export const frameGridFilters = ({ num, den }: FrameRate, own: FrameSpan, starts: number | null): readonly string[] => [
  `fps=fps=${num}/${den}:round=up${starts === null ? '' : `:start_time=${decimal((starts * den) / num)}`}`,
  'tpad=stop=-1:stop_mode=clone',
  `trim=start_pts=${own.from}:end_pts=${own.until}`,
];

/** Where reading must begin to show frame `frame` of a repetition, in seconds after the file's start. */
const readStart = ({ part, seekable }: VideoStep, frame: number, { num, den }: FrameRate): number => {
  if (!seekable) return 0;
  const shown_s = part.begins_s + ((frame * den) / num) * part.speed;
  return Math.max(0, Math.min(shown_s, part.ends_s) - AHEAD_S);
};

/** Half of ten seconds, the most common key-frame distance of encoders. */
const HALF_KEY_FRAME_DISTANCE_S = 5;

/** Seconds of the source to decode before the layer's frame `frame`. */
export const decodedSecondsBefore = (step: VideoStep, frame: number, fps: FrameRate): number => {
  const own = step.part.body === null ? frame : frame % step.part.body;
  const shown_s = readStart({ ...step, seekable: true }, own, fps) + AHEAD_S;
  const from_s = readStart(step, own, fps);
  if (from_s === 0) return shown_s;
  const key_frame_s = step.key_frames_s.findLast((at_s) => at_s <= from_s);
  return key_frame_s === undefined ? HALF_KEY_FRAME_DISTANCE_S : shown_s - key_frame_s;
};

export const seekPosition = (step: VideoStep, own: FrameSpan, fps: FrameRate): number => readStart(step, own.from, fps);

/** Tolerance, because the timestamps of frames and of a part's start are rounded to whole microseconds. */
const ROUNDING_US = 2;

/**
 * Shifts timestamps to an earlier time, except at the end of the source. The end is the last frame's timestamp plus its
 * duration, for which ffmpeg 5.1 reports one tick in some MP4s. If this end were shifted, the last frame could end
 * before it is shown, and would be dropped. A timestamp one tick after the previous one is therefore not shifted, if
 * ticks are short.
 */
const earlyBy = (shift_us: number, { tick_s }: VideoStep): string => {
  const tick_us = microseconds(tick_s);
  if (shift_us === 0) return '';
  if (tick_us > shift_us) return `-${shift_us}`;
  return `-${ROUNDING_US}-${shift_us - ROUNDING_US}*not(lte(PTS-PREV_INPTS,${tick_us + 1}))`;
};

const sourceTime = (time: string, speed: number): string => (speed === 1 ? time : `floor((${time})/${decimal(speed)})`);

/**
 * If reading begins at the file's start, the grid counts frames from there, and a late first frame is used. Otherwise
 * the grid begins with the first frame that is read. If that frame comes after the first needed one, it moves there, as
 * in a file whose video begins seconds after its audio.
 */
export const playOnceFilters = (step: VideoStep, own: FrameSpan, fps: FrameRate): readonly string[] => {
  const { begins_s, cut_s, ends_s, speed } = step.part;
  // A source shorter than the shift is not shifted, because all its frames would be before the grid.
  const is_longer = microseconds(ends_s) / speed > early(fps);
  const begin = microseconds(step.file_starts_s + begins_s);
  const cut = cut_s === null ? null : microseconds(step.file_starts_s + cut_s) - Math.round(early(fps) * speed);
  const whole = seekPosition(step, own, fps) === 0;
  const before = whole ? Math.ceil((begins_s / speed) * (fps.num / fps.den)) : 0;
  const later = microseconds((before * fps.den) / fps.num);
  const at = `${sourceTime(`PTS-${parenthesizedOperand(begin)}`, speed)}+${later}${earlyBy(is_longer ? early(fps) : 0, step)}`;
  const first_needed = microseconds((own.from * fps.den) / fps.num) - ROUNDING_US;
  return [
    'settb=1/1000000',
    ...(cut === null ? [] : [`trim=end_pts=${cut}`]),
    whole ? `setpts='${at}'` : `setpts='if(N,${at},min(${at},${parenthesizedOperand(first_needed)}))'`,
    HOLD_LAST,
    ...frameGridFilters(fps, { from: own.from + before, until: own.until + before }, whole ? 0 : null),
    ...(before === 0 ? [] : [`setpts=PTS-${before}`]),
  ];
};

const repetitionsOf = (body: number, own: FrameSpan) => {
  const first = Math.floor(own.from / body);
  return { first, count: Math.floor((own.until - 1) / body) - first + 1 };
};

/** ffmpeg skips a first frame that it seeks to in a file without an index, so seeking begins earlier. */
const BEFORE_FIRST_S = 1;

/** Where reading of a repetition begins, after the file's start. Whole seconds, so that no time base rounds them. */
const repetitionStart = (step: VideoStep, frame: number, fps: FrameRate): number =>
  step.seekable ? Math.floor(Math.max(0, readStart(step, frame, fps))) : -BEFORE_FIRST_S;

const entry = (path: string, ...rest: readonly string[]): string =>
  [concatEntry(path), ...rest, `duration ${REPETITION_OFFSET_S}`].join('\n');

/**
 * The list's first entry lasts a microsecond. It makes the list begin at the file's start, whatever stream comes first
 * in the file.
 */
export const repetitionList = (step: VideoStep, path: string, own: FrameSpan, fps: FrameRate): string => {
  const { body, ends_s } = step.part;
  if (body === null) return '';
  const { first, count } = repetitionsOf(body, own);
  const round = (index: number): string => {
    const start = repetitionStart(step, index === 0 ? own.from - first * body : 0, fps);
    // Reads beyond the visible frames, because a decoder may delay the last frames that it reads.
    const stop = `outpoint ${decimal(step.file_starts_s + ends_s + BEHIND_S)}`;
    return entry(path, `inpoint ${decimal(step.file_starts_s + start)}`, stop);
  };
  const entries = Array.from({ length: count }, (_, index) => round(index));
  return `${['ffconcat version 1.0', entry(path, `outpoint ${decimal(step.file_starts_s + 0.000001)}`), ...entries].join('\n')}\n`;
};

export const sourceIntervalToRead = (
  step: VideoStep,
  own: FrameSpan,
  fps: FrameRate,
): { readonly from_s: number; readonly until_s: number } => {
  const { body, begins_s, ends_s, speed } = step.part;
  if (body !== null) return { from_s: Math.max(0, repetitionStart(step, 0, fps)), until_s: ends_s + BEHIND_S };
  const shown_s = begins_s + ((own.until * fps.den) / fps.num) * speed;
  return { from_s: seekPosition(step, own, fps), until_s: Math.min(shown_s, ends_s) + BEHIND_S };
};

/** A late first frame is shown from the start of its repetition. */
export const loopFilters = (step: VideoStep, own: FrameSpan, fps: FrameRate): readonly string[] => {
  const { body, begins_s, cut_s, speed } = step.part;
  if (body === null) return [];
  const { first } = repetitionsOf(body, own);
  const microsecondsIn = (frames: number): number => microseconds((frames * fps.den) / fps.num);
  const room = REPETITION_OFFSET_S * 1e6;
  const starts = [repetitionStart(step, own.from - first * body, fps), repetitionStart(step, 0, fps)].map(
    (start) => start * 1e6 - microseconds(begins_s),
  );
  const [one, others] = [starts[0] ?? 0, starts[1] ?? 0];
  const round = (time: string): string => `floor(${time}/${room}+0.5)`;
  const since = (time: string): string =>
    `(${time}-${round(time)}*${room}+${one === others ? parenthesizedOperand(one) : `if(eq(${round(time)},1),${parenthesizedOperand(one)},${parenthesizedOperand(others)})`})`;
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
    `setpts='${at}+eq(${round('PTS')},${round('PREV_INPTS')})*max(0,${sourceTime(since('PTS'), speed)})${earlyBy(slack, step)}'`,
    ...frameGridFilters(fps, own, first * body),
  ];
};
