import { FILE_REMEDIES } from '../../domain/composition/file-forms.ts';
import { LIMITS } from '../../domain/composition/limits.ts';
import { headerEnd, isMp4, type ProbedFile, type ProbedStream } from './probed-file.ts';

/** A file must respect these limits even if only a part of it is shown. Sides and areas are in pixels. */
export const SOURCE_LIMITS = {
  streams: 32,
  side: 8192,
  area: 8192 * 4320,
  duration_s: LIMITS.source_s,
  /** Audio samples per second: four times those of studio recordings. Resampling needs memory for each. */
  samples: 768_000,
} as const;

/** A file counts as truncated if its header announces this many seconds more than it contains. */
const CUT_OFF_S = 1;

const seconds = (text: string | undefined): number => Number(text ?? 0) || 0;

/** Seconds from the file's start; 0 for a stream without packets. */
export const endOfStream = (file: ProbedFile, { index }: ProbedStream): number =>
  Math.max(0, (file.endOf(index) ?? 0) - seconds(file.format.start_time));

/** Headers of other formats than MP4 may be written before the length is known. */
const isCutOff = (file: ProbedFile, stream: ProbedStream): boolean =>
  isMp4(file) && (headerEnd(stream) ?? 0) > (file.endOf(stream.index) ?? 0) + CUT_OFF_S;

/** A message that follows the asset's name; null if the streams can be used. */
export const limitFault = (file: ProbedFile, used: readonly ProbedStream[]): string | null => {
  if (file.streams.length > SOURCE_LIMITS.streams)
    return `has more than ${SOURCE_LIMITS.streams} streams: export it with one video and one audio stream`;
  if (used.some((stream) => isCutOff(file, stream)))
    return `is cut off: it ends before the time in its header; ${FILE_REMEDIES.incomplete}`;
  if (used.some((stream) => file.endOf(stream.index) === null)) return 'has no frames: export it again';
  if (used.some((stream) => endOfStream(file, stream) > SOURCE_LIMITS.duration_s))
    return `is longer than ${SOURCE_LIMITS.duration_s / 3600} hours: cut it`;
  const fast = file.streams.find(({ sample_rate }) => Number(sample_rate ?? 0) > SOURCE_LIMITS.samples);
  if (fast !== undefined)
    return `has ${fast.sample_rate} samples per second: convert it to 48000 (at most ${SOURCE_LIMITS.samples} are supported)`;
  const large = used.find(
    ({ width = 0, height = 0 }) => Math.max(width, height) > SOURCE_LIMITS.side || width * height > SOURCE_LIMITS.area,
  );
  return large === undefined
    ? null
    : `has ${large.width}x${large.height} pixels: scale it down (at most 8192x4320 are supported)`;
};
