import type { FrameRate } from '../../../domain/composition/frame-rate.ts';
import { type Encoding, encoderOptions } from '../encode/encoder-options.ts';
import { partsArguments } from '../encode/parts.ts';
import type { Run } from '../plan/render-plan.ts';
import { asPath } from '../process/ffmpeg-arguments.ts';

/** More than this in one piece is refused to ffmpeg. */
const MAX_ALLOCATION_BYTES = 2 ** 30;

type Files = {
  readonly inputs: readonly string[];
  /** The file that holds the filter graph. */
  readonly graph: string;
  /** In which the parts are written. */
  readonly folder: string;
};

/**
 * One process of the encoder that makes all parts of a run, of every output that lacks them. Frames done are written to
 * standard output.
 */
export const encoderArguments = (
  { outputs, segments, from }: Run,
  { inputs, graph, folder }: Files,
  fps: FrameRate,
  encoding: Encoding,
): readonly string[] => {
  const cuts = segments.slice(1).map((segment) => segment.from - from);
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'warning', '-y', '-max_alloc', String(MAX_ALLOCATION_BYTES)],
    ...['-progress', 'pipe:1', '-stats_period', '0.5', '-nostats'],
    ...[...inputs, '-filter_complex_script', asPath(graph)],
    ...outputs.flatMap((output, index) => [
      ...['-map', `[v${index}]`, '-fps_mode:v', 'passthrough', ...encoderOptions(output, fps, encoding)],
      ...partsArguments({ folder, variant: output.name, fps, cuts }),
    ]),
  ];
};
