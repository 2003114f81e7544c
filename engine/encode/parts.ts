import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import { decimal } from '../filtergraph/expressions.ts';
import { absolutePath } from '../process/ffmpeg-arguments.ts';
import { timescaleOf } from './timescale.ts';

/** Segment time of a run without cuts, longer than any run. By default the muxer would cut every few seconds. */
const NEVER_S = 1_000_000;

export const partName = (variant: string, index: number): string => `${variant}-${String(index).padStart(5, '0')}.mp4`;

const partPattern = (folder: string, variant: string): string =>
  `${absolutePath(folder).replaceAll('%', '%%')}/${variant}-%05d.mp4`;

type Parts = {
  readonly folder: string;
  readonly variant: string;
  readonly fps: FrameRate;
  /** The start of each part but the first, in frames after the run's start. */
  readonly cuts: readonly number[];
};

/**
 * Each part begins with a key frame at pts 0. A part is complete once the file of the next part exists, or ffmpeg has
 * exited with 0.
 */
export const segmentMuxerArguments = ({ folder, variant, fps, cuts }: Parts): readonly string[] => {
  const timescale = timescaleOf(fps);
  // Each time is a quarter of a frame early, so that rounding never forces the key frame one frame too late.
  const times = cuts.map((frame) => decimal(((frame - 0.25) * fps.den) / fps.num));
  return [
    ...(cuts.length > 0 ? ['-force_key_frames:v', times.join(','), '-segment_frames', cuts.join(',')] : []),
    ...(cuts.length > 0 ? [] : ['-segment_time', String(NEVER_S)]),
    ...['-f', 'segment', '-reset_timestamps', '1', '-avoid_negative_ts', 'disabled', '-segment_format', 'mp4'],
    ...['-segment_format_options', `movie_timescale=${timescale}:video_track_timescale=${timescale}`],
    ...['-map_metadata', '-1', '-map_chapters', '-1', partPattern(folder, variant)],
  ];
};
