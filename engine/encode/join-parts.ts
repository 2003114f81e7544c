import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import type { VideoCodec } from '../../domain/composition/video-codecs.ts';
import type { ProcessBounds } from '../../platform/sandbox/sandbox.ts';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import { absolutePath, concatEntry, LOCAL_FILE_OPTIONS } from '../process/ffmpeg-arguments.ts';
import { hasSucceeded } from '../process/ffmpeg-faults.ts';
import { lastLine, type ProcessLimits, runProcess } from '../process/run-process.ts';
import { timescaleOf, timescaleUnitsPerFrame } from './timescale.ts';

export type EncodedPart = { readonly file: string; readonly frames: number };

export type JoinOptions = {
  readonly parts: readonly EncodedPart[];
  readonly sound: string;
  readonly codec: VideoCodec;
  readonly fps: FrameRate;
  readonly list: string;
  readonly file: string;
};

/** The concat demuxer counts in microseconds. Each end is rounded separately, so that errors do not accumulate. */
export const partsList = (parts: readonly EncodedPart[], { num, den }: FrameRate): string => {
  const at_us = (frame: number): number => Math.round((frame * den * 1_000_000) / num);
  let from = 0;
  const lines = parts.map(({ file, frames }) => {
    const duration_us = at_us(from + frames) - at_us(from);
    from += frames;
    return `${concatEntry(file)}\nduration ${(duration_us / 1_000_000).toFixed(6)}\n`;
  });
  return `ffconcat version 1.0\n${lines.join('')}`;
};

/** Number of frames by which decoding timestamps precede presentation, because of B-frames. */
const REORDERED: { readonly [C in VideoCodec]: number } = { h264: 2, h265: 2, vp9: 0, av1: 0 };

/**
 * Copies the streams without encoding. `setts` spaces the frames by exactly one frame duration, and `moov` comes before
 * `mdat`.
 */
export const joinArguments = ({ sound, codec, fps, list, file }: Omit<JoinOptions, 'parts'>): readonly string[] => {
  const timescale = String(timescaleOf(fps));
  const unit = timescaleUnitsPerFrame(fps);
  const steps = `setts=pts=round(PTS/${unit})*${unit}:dts=(N-${REORDERED[codec]})*${unit}:duration=${unit}`;
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'warning', '-y'],
    ...['-protocol_whitelist', 'file', '-format_whitelist', 'concat,mov,mp4', '-safe', '0', '-auto_convert', '0'],
    ...['-f', 'concat', '-i', absolutePath(list), ...LOCAL_FILE_OPTIONS, '-i', absolutePath(sound)],
    ...['-map', '0:v:0', '-map', '1:a:0', '-map_metadata', '-1', '-map_chapters', '-1', '-c', 'copy'],
    // Removes the display matrix. If a graph has one input, ffmpeg copies its matrix to the parts, although their
    // frames are upright.
    ...['-metadata:s:v:0', 'rotate=0'],
    ...['-bsf:v', steps, ...(codec === 'h265' ? ['-tag:v', 'hvc1'] : [])],
    ...['-video_track_timescale', timescale, '-movie_timescale', timescale, '-movflags', '+faststart'],
    // Omits the tag that names the muxer and its version.
    ...['-fflags', '+bitexact', '-f', 'mp4', absolutePath(file)],
  ];
};

export const joinParts = async (
  join: JoinOptions,
  ffmpeg_path: string,
  limits: ProcessLimits,
  bounds: ProcessBounds,
): Promise<E.Either<EngineFault, void>> => {
  await writeFile(join.list, partsList(join.parts, join.fps));
  // The sandbox gets the folders, because a long video has more parts than a command line can list.
  const reads = [...new Set(join.parts.map(({ file }) => dirname(resolve(file)))), resolve(join.sound)];
  const run = await runProcess(
    { program: ffmpeg_path, args: joinArguments(join), reads, writes: dirname(resolve(join.file)), bounds },
    limits,
  );
  if (E.isLeft(run)) return run;
  return hasSucceeded(run.right)
    ? E.right(undefined)
    : E.left(infrastructureFault(`the parts could not be joined: ${lastLine(run.right.stderr)}`));
};
