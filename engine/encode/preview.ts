import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { Preview } from '../../domain/composition/project-shape.ts';
import type { ProcessBounds } from '../../platform/sandbox/sandbox.ts';
import { decimal } from '../filtergraph/expressions.ts';
import { WHOLE_FRAME_SCALE_FLAGS } from '../filtergraph/placement.ts';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import { absolutePath, LOCAL_FILE_OPTIONS } from '../process/ffmpeg-arguments.ts';
import { hasSucceeded } from '../process/ffmpeg-faults.ts';
import { lastLine, type ProcessLimits, runProcess } from '../process/run-process.ts';
import type { Scene } from '../scene/scene.ts';
import { isCompleteWebp } from './whole-image.ts';

type PreviewSource = Pick<Scene, 'width' | 'height' | 'fps' | 'frames'>;

/** `from` and `frames` count frames of the composition. */
export type PreviewShape = {
  readonly width: number;
  readonly height: number;
  readonly from: number;
  readonly frames: number;
  readonly fps: number;
  readonly duration_ms: number;
};

const MAX_WIDTH = 960;
const MAX_BYTES = 4 * 1024 * 1024;
/** Tried in order until the file is small enough; the last one is accepted. */
const QUALITIES = [70, 45, 20];

const evenSide = (length: number): number => Math.max(2, 2 * Math.round(length / 2));

/** Never larger than the composition. If the composition ends before the preview would, the preview starts earlier. */
export const previewShape = ({ width, height, fps, frames }: PreviewSource, preview: Preview): PreviewShape => {
  const scale = Math.min(1, preview.height / height, MAX_WIDTH / width);
  const rate = fps.num / fps.den;
  const shown = Math.min(frames, Math.max(1, Math.round(preview.duration * rate)));
  const from = Math.min(frames - shown, Math.round(preview.start * rate));
  const size = { width: evenSide(width * scale), height: evenSide(height * scale) };
  return {
    ...size,
    from,
    frames: shown,
    fps: Math.min(preview.fps, rate),
    duration_ms: Math.round((shown * 1000) / rate),
  };
};

const previewArguments = (
  shape: PreviewShape,
  { fps }: PreviewSource,
  quality: number,
  master: string,
  file: string,
) => {
  const { from, frames, width, height } = shape;
  const at_s = ((from - 0.5) * fps.den) / fps.num;
  const toWebp = `scale=${width}:${height}:${WHOLE_FRAME_SCALE_FLAGS}:in_color_matrix=bt709:in_range=tv:out_color_matrix=bt601:out_range=tv`;
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', ...(at_s > 0 ? ['-ss', decimal(at_s)] : [])],
    ...[...LOCAL_FILE_OPTIONS, '-i', absolutePath(master), '-map', '0:v:0', '-map_metadata', '-1'],
    ...['-vf', `trim=end_frame=${frames},setpts=PTS-STARTPTS,fps=${decimal(shape.fps)},${toWebp},format=yuv420p`],
    ...['-c:v', 'libwebp_anim', '-lossless', '0', '-compression_level', '3', '-quality', String(quality), '-loop', '0'],
    ...['-f', 'webp', absolutePath(file)],
  ];
};

export const makePreview = async (
  source: PreviewSource,
  preview: Preview,
  files: { readonly master: string; readonly preview: string },
  ffmpeg_path: string,
  limits: ProcessLimits,
  bounds: ProcessBounds,
): Promise<E.Either<EngineFault, PreviewShape>> => {
  const shape = previewShape(source, preview);
  for (const quality of QUALITIES) {
    const args = previewArguments(shape, source, quality, files.master, files.preview);
    const reads = [resolve(files.master)];
    const writes = dirname(resolve(files.preview));
    const run = await runProcess({ program: ffmpeg_path, args, reads, writes, bounds }, limits);
    if (E.isLeft(run)) return run;
    if (!hasSucceeded(run.right))
      return E.left(infrastructureFault(`the preview could not be encoded: ${lastLine(run.right.stderr)}`));
    if (!(await isCompleteWebp(files.preview))) return E.left(infrastructureFault('the preview could not be written'));
    if ((await stat(files.preview)).size <= MAX_BYTES) break;
  }
  return E.right(shape);
};
