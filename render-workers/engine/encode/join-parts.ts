import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { FrameRate } from '../../../domain/composition/frame-rate.ts';
import type { VideoCodec } from '../../../domain/composition/video-codecs.ts';
import type { ProcessBounds } from '../../../platform/sandbox/sandbox.ts';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import { asPath, listedFile, ONLY_FILES } from '../process/ffmpeg-arguments.ts';
import { endedWell } from '../process/ffmpeg-faults.ts';
import { lastLine, type ProcessLimits, runProcess } from '../process/run-process.ts';
import { frameUnits, timescaleOf } from './timescale.ts';

/** One part of an output, and how many frames it holds. */
export type Part = { readonly file: string; readonly frames: number };

export type Join = {
  readonly parts: readonly Part[];
  /** The sound of the whole composition, as `mixSound` made it. */
  readonly sound: string;
  readonly codec: VideoCodec;
  readonly fps: FrameRate;
  /** The list of the parts, written here for ffmpeg: in the folder of the film. */
  readonly list: string;
  /** The finished film, in a folder of its own. */
  readonly file: string;
};

/**
 * The list as ffmpeg's concat demuxer reads it. It counts in whole microseconds: each part ends at the one nearest to the
 * true time, so that no error adds up.
 */
export const partsList = (parts: readonly Part[], { num, den }: FrameRate): string => {
  const at_us = (frame: number): number => Math.round((frame * den * 1_000_000) / num);
  let from = 0;
  const lines = parts.map(({ file, frames }) => {
    const duration_us = at_us(from + frames) - at_us(from);
    from += frames;
    return `${listedFile(file)}\nduration ${(duration_us / 1_000_000).toFixed(6)}\n`;
  });
  return `ffconcat version 1.0\n${lines.join('')}`;
};

/** How many frames the encoder may put off showing one: what decoding runs ahead of it. */
const REORDERED: { readonly [C in VideoCodec]: number } = { h264: 2, h265: 2, vp9: 0, av1: 0 };

/** Copies parts and sound into one film: pictures exactly one frame apart, its index before its bytes. */
export const joinArguments = ({ sound, codec, fps, list, file }: Omit<Join, 'parts'>): readonly string[] => {
  const timescale = String(timescaleOf(fps));
  const unit = frameUnits(fps);
  const steps = `setts=pts=round(PTS/${unit})*${unit}:dts=(N-${REORDERED[codec]})*${unit}:duration=${unit}`;
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'warning', '-y'],
    ...['-protocol_whitelist', 'file', '-format_whitelist', 'concat,mov,mp4', '-safe', '0', '-auto_convert', '0'],
    ...['-f', 'concat', '-i', asPath(list), ...ONLY_FILES, '-i', asPath(sound)],
    ...['-map', '0:v:0', '-map', '1:a:0', '-map_metadata', '-1', '-map_chapters', '-1', '-c', 'copy'],
    ...['-bsf:v', steps, ...(codec === 'h265' ? ['-tag:v', 'hvc1'] : [])],
    ...['-video_track_timescale', timescale, '-movie_timescale', timescale, '-movflags', '+faststart'],
    ...['-f', 'mp4', asPath(file)],
  ];
};

/** Joins an output's parts, in order, with the sound. No picture is decoded. */
export const joinParts = async (
  join: Join,
  ffmpeg_path: string,
  limits: ProcessLimits,
  bounds: ProcessBounds,
): Promise<E.Either<EngineFault, void>> => {
  await writeFile(join.list, partsList(join.parts, join.fps));
  // Folders: of a long film there are more parts than a command line takes.
  const reads = [...new Set(join.parts.map(({ file }) => dirname(resolve(file)))), resolve(join.sound)];
  const run = await runProcess(
    { program: ffmpeg_path, args: joinArguments(join), reads, writes: dirname(resolve(join.file)), bounds },
    limits,
  );
  if (E.isLeft(run)) return run;
  const said = lastLine(run.right.stderr);
  return endedWell(run.right)
    ? E.right(undefined)
    : E.left(infrastructureFault(`the parts could not be joined: ${said}`));
};
