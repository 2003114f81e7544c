import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import { type EncodingOptions, encoderOptions } from '../encode/encoder-options.ts';
import { segmentMuxerArguments } from '../encode/parts.ts';
import type { Run } from '../plan/render-plan.ts';
import { absolutePath, MAX_ALLOCATION_BYTES } from '../process/ffmpeg-arguments.ts';

type Files = {
  readonly inputs: readonly string[];
  readonly graph: string;
  readonly folder: string;
};

export const encoderArguments = (
  { outputs, segments, from }: Run,
  { inputs, graph, folder }: Files,
  fps: FrameRate,
  encoding: EncodingOptions,
): readonly string[] => {
  const cuts = segments.slice(1).map((segment) => segment.from - from);
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'warning', '-y', '-max_alloc', String(MAX_ALLOCATION_BYTES)],
    ...['-progress', 'pipe:1', '-stats_period', '0.5', '-nostats'],
    ...[...inputs, '-filter_complex_script', absolutePath(graph)],
    ...outputs.flatMap((output, index) => [
      ...['-map', `[v${index}]`, '-fps_mode:v', 'passthrough', ...encoderOptions(output, fps, encoding)],
      ...segmentMuxerArguments({ folder, variant: output.name, fps, cuts }),
    ]),
  ];
};
