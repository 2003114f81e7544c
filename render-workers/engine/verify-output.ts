import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import { type EngineFault, surroundingsFault } from './engine-fault.ts';
import { asPath, ONLY_FILES } from './ffmpeg-arguments.ts';
import { type ProcessLimits, runProcess } from './process.ts';

const Probed = t.type({
  streams: t.array(t.type({ width: t.number, height: t.number, nb_frames: t.string, r_frame_rate: t.string })),
});

type Expected = { readonly width: number; readonly height: number; readonly frames: number; readonly fps: FrameRate };

/** Is the file what was promised, in size, rate and number of frames? A disk that filled shows here. */
export const verifyOutput = async (
  file: string,
  expected: Expected,
  ffprobe_path: string,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, void>> => {
  const shown = ['-select_streams', 'v:0', '-show_entries', 'stream=width,height,nb_frames,r_frame_rate'];
  const args = ['-v', 'error', '-of', 'json', ...shown, ...ONLY_FILES, '-i', asPath(file)];
  const run = await runProcess({ program: ffprobe_path, args }, limits);
  if (E.isLeft(run)) return run;
  const decoded = run.right.exit_code === 0 ? Probed.decode(JSON.parse(run.right.stdout)) : null;
  const stream = decoded !== null && E.isRight(decoded) ? decoded.right.streams[0] : undefined;
  const found = stream && `${stream.width}x${stream.height}, ${stream.nb_frames} frames at ${stream.r_frame_rate}`;
  const { width, height, frames, fps } = expected;
  const wanted = `${width}x${height}, ${frames} frames at ${fps.num}/${fps.den}`;
  if (found === wanted) return E.right(undefined);
  return E.left(surroundingsFault(`the encoder made ${found ?? 'no readable file'} instead of ${wanted}`));
};
