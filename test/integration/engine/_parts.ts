import { join } from 'node:path';
import { execa } from 'execa';
import type { FrameRate } from '../../../domain/composition/frame-rate.ts';
import type { Quality, VideoCodec } from '../../../domain/composition/video-codecs.ts';
import { type EncodingOptions, encoderOptions, hasExactCuts } from '../../../engine/encode/encoder-options.ts';
import type { EncodedPart } from '../../../engine/encode/join-parts.ts';
import { partName, segmentMuxerArguments } from '../../../engine/encode/parts.ts';

type Film = {
  readonly codec: VideoCodec;
  readonly quality?: Quality;
  readonly crf: number;
  readonly width: number;
  readonly height: number;
  readonly fps: FrameRate;
};

const PROGRAM = process.env.FFMPEG_PATH ?? 'ffmpeg';
const TAGS = 'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709';

const pieces = (cuts: readonly number[]) => cuts.slice(1).map((until, index) => [cuts[index] ?? 0, until] as const);

/**
 * Encodes the pictures of a lavfi `source` in parts, like an engine that takes some parts from its cache. Each list of
 * `runs` has the first frames of its parts and the end of the last part. One process encodes all, each list with its
 * own encoder.
 */
export const partsOf = async (
  folder: string,
  { fps, ...variant }: Film,
  source: string,
  runs: readonly (readonly number[])[],
  encoding: EncodingOptions = {},
): Promise<readonly EncodedPart[]> => {
  const held = hasExactCuts(variant.codec) ? runs : runs.flatMap(pieces);
  const copies = held.map((_, run) => `[s${run}]`).join('');
  const trims = held.map(([from = 0, ...ends], run) => {
    const trimmed = `trim=start_frame=${from}:end_frame=${ends.at(-1)},setpts=PTS-STARTPTS`;
    return `[s${run}]${trimmed},format=yuv420p,${TAGS}[v${run}]`;
  });
  const outputs = held.flatMap(([from = 0, ...ends], run) => [
    ...[
      '-map',
      `[v${run}]`,
      '-fps_mode:v',
      'passthrough',
      ...encoderOptions({ quality: 'standard', ...variant }, fps, encoding),
    ],
    ...segmentMuxerArguments({ folder, variant: `run-${run}`, fps, cuts: ends.slice(0, -1).map((cut) => cut - from) }),
  ]);
  const graph = [`${source},split=${held.length}${copies}`, ...trims].join(';');
  await execa(PROGRAM, ['-v', 'error', '-y', '-filter_complex', graph, ...outputs]);
  return held.flatMap((cuts, run) =>
    pieces(cuts).map(([begin, end], index) => ({
      file: join(folder, partName(`run-${run}`, index)),
      frames: end - begin,
    })),
  );
};
