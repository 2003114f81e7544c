import { join } from 'node:path';
import { execa } from 'execa';
import type { FrameRate } from '../../../domain/composition/frame-rate.ts';
import type { VideoCodec } from '../../../domain/composition/video-codecs.ts';
import { type Encoding, encoderOptions, holdsCuts } from '../../../render-workers/engine/encode/encoder-options.ts';
import type { Part } from '../../../render-workers/engine/encode/join-parts.ts';
import { partName, partsArguments } from '../../../render-workers/engine/encode/parts.ts';

type Film = {
  readonly codec: VideoCodec;
  readonly crf: number;
  readonly width: number;
  readonly height: number;
  readonly fps: FrameRate;
};

const PROGRAM = process.env.FFMPEG_PATH ?? 'ffmpeg';
const TAGS = 'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709';

const pieces = (cuts: readonly number[]) => cuts.slice(1).map((until, index) => [cuts[index] ?? 0, until] as const);

/**
 * Encodes the picture of a lavfi `source` in parts, as an engine does that takes some of them from its cache: each list
 * of `runs` holds the frames at which the parts of one process begin, and where the last one ends.
 */
export const partsOf = async (
  folder: string,
  { fps, ...variant }: Film,
  source: string,
  runs: readonly (readonly number[])[],
  encoding: Encoding = {},
): Promise<readonly Part[]> => {
  const parts: Part[] = [];
  const held = holdsCuts(variant.codec) ? runs : runs.flatMap(pieces);
  for (const [run, [from = 0, ...ends]] of held.entries()) {
    const name = `run-${run}`;
    const trimmed = `trim=start_frame=${from}:end_frame=${ends.at(-1)},setpts=PTS-STARTPTS`;
    const cuts = ends.slice(0, -1).map((cut) => cut - from);
    await execa(PROGRAM, [
      ...['-v', 'error', '-y', '-filter_complex', `${source},${trimmed},format=yuv420p,${TAGS}[v]`, '-map', '[v]'],
      ...['-fps_mode:v', 'passthrough', ...encoderOptions(variant, fps, encoding)],
      ...partsArguments({ folder, variant: name, fps, cuts }),
    ]);
    for (const [index, [begin, end]] of pieces([from, ...ends]).entries())
      parts.push({ file: join(folder, partName(name, index)), frames: end - begin });
  }
  return parts;
};
