import { dirname, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { ProcessBounds } from '../../platform/sandbox/sandbox.ts';
import { decimal } from '../filtergraph/expressions.ts';
import { SCALE_FLAGS } from '../filtergraph/placement.ts';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import { absolutePath, LOCAL_FILE_OPTIONS } from '../process/ffmpeg-arguments.ts';
import { hasSucceeded } from '../process/ffmpeg-faults.ts';
import { lastLine, type ProcessLimits, runProcess } from '../process/run-process.ts';
import type { Scene } from '../scene/scene.ts';
import { isCompleteJpeg } from './whole-image.ts';

type PosterFrame = Pick<Scene, 'fps' | 'poster_frame'>;

const posterArguments = ({ fps, poster_frame }: PosterFrame, master: string, poster: string): readonly string[] => {
  const at_s = ((poster_frame - 0.5) * fps.den) / fps.num;
  const asJpeg = `scale=${SCALE_FLAGS}:in_color_matrix=bt709:in_range=tv:out_color_matrix=bt601:out_range=pc,format=yuvj444p`;
  return [
    // Only one thread, because more would also decode frames after the poster.
    ...[
      '-hide_banner',
      '-nostdin',
      '-loglevel',
      'error',
      '-y',
      '-threads',
      '1',
      ...(at_s > 0 ? ['-ss', decimal(at_s)] : []),
    ],
    ...[
      ...LOCAL_FILE_OPTIONS,
      '-i',
      absolutePath(master),
      '-an',
      '-vf',
      asJpeg,
      '-frames:v',
      '1',
      '-c:v',
      'mjpeg',
      '-q:v',
      '2',
    ],
    // Omits the comment that names the encoder and its version.
    ...['-flags:v', '+bitexact'],
    ...['-f', 'image2', '-update', '1', absolutePath(poster)],
  ];
};

/**
 * Reads the finished master. If the encoding process also wrote the poster, it would delay and buffer the frames before
 * it.
 */
export const extractPoster = async (
  position: PosterFrame,
  files: { readonly master: string; readonly poster: string },
  ffmpeg_path: string,
  limits: ProcessLimits,
  bounds: ProcessBounds,
): Promise<E.Either<EngineFault, void>> => {
  const args = posterArguments(position, files.master, files.poster);
  const reads = [resolve(files.master)];
  const run = await runProcess(
    { program: ffmpeg_path, args, reads, writes: dirname(resolve(files.poster)), bounds },
    limits,
  );
  if (E.isLeft(run)) return run;
  return hasSucceeded(run.right) && (await isCompleteJpeg(files.poster))
    ? E.right(undefined)
    : E.left(infrastructureFault(`the poster could not be extracted: ${lastLine(run.right.stderr)}`));
};
