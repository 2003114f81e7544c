import { REMEDY } from '../../domain/composition/file-forms.ts';
import { LIMITS } from '../../domain/composition/limits.ts';
import { isMp4, type ProbedFile, type ProbedStream, promisedEnd } from './probed-file.ts';

/** Limits of a source file, whatever part of it is shown. Sides and areas in pixels. */
export const SOURCE_LIMITS = {
  streams: 32,
  side: 8192,
  /** A frame of 8K. */
  area: 8192 * 4320,
  duration_s: LIMITS.source_s,
  /** Samples per second of audio: four times those of studio recordings. Resampling takes memory for each. */
  samples: 768_000,
} as const;

/** How much more a header may promise than the file contains before it counts as truncated. */
const CUT_OFF_S = 1;

const seconds = (text: string | undefined): number => Number(text ?? 0) || 0;

/** From the file's start to the stream's end; 0 for a stream without a packet. */
export const endOfStream = (file: ProbedFile, { index }: ProbedStream): number =>
  Math.max(0, (file.endOf(index) ?? 0) - seconds(file.format.start_time));

/** For MP4 only: headers of others may have been written before the length was known. */
const isCutOff = (file: ProbedFile, stream: ProbedStream): boolean =>
  isMp4(file) && (promisedEnd(stream) ?? 0) > (file.endOf(stream.index) ?? 0) + CUT_OFF_S;

/** Why these streams cannot be used, as a message that follows the file's name; or null. */
export const limitFault = (file: ProbedFile, used: readonly ProbedStream[]): string | null => {
  if (file.streams.length > SOURCE_LIMITS.streams)
    return `holds more than ${SOURCE_LIMITS.streams} streams: export it with one picture and one sound`;
  if (used.some((stream) => isCutOff(file, stream)))
    return `is cut off: it ends before its header says; ${REMEDY.incomplete}`;
  if (used.some((stream) => file.endOf(stream.index) === null))
    return 'holds nothing: it has no frame; export it again';
  if (used.some((stream) => endOfStream(file, stream) > SOURCE_LIMITS.duration_s))
    return `is longer than ${SOURCE_LIMITS.duration_s / 3600} hours: cut it`;
  const fast = file.streams.find(({ sample_rate }) => Number(sample_rate ?? 0) > SOURCE_LIMITS.samples);
  if (fast !== undefined)
    return `has ${fast.sample_rate} samples per second: convert it to 48000; at most ${SOURCE_LIMITS.samples} can be read`;
  const large = used.find(
    ({ width = 0, height = 0 }) => Math.max(width, height) > SOURCE_LIMITS.side || width * height > SOURCE_LIMITS.area,
  );
  return large === undefined
    ? null
    : `has ${large.width}x${large.height} pixels: scale it down; at most 8192x4320 can be read`;
};
