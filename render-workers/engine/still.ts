import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { frameAt } from '../../domain/composition/frame-rate.ts';
import { asPath } from './encode/ffmpeg-arguments.ts';
import { type EngineFault, thrownFault } from './engine-fault.ts';
import { SCALING } from './graph/placement.ts';
import { stillsShown } from './plan/stills-shown.ts';
import type { RenderOptions } from './render.ts';
import { diskFault, encodingBounds } from './run/bounds.ts';
import { familiesOf } from './run/families.ts';
import { endedWell, ffmpegFault } from './run/ffmpeg-faults.ts';
import { layOut } from './run/lay-out.ts';
import { sceneOf } from './run/prepare.ts';
import { countingDown, runProcess } from './run/process.ts';
import { chromaOf } from './scene/describe.ts';
import { bytesToDraw } from './scene/drawn-bytes.ts';
import { drawStills } from './stills/drawing-process.ts';

export type StillOptions = Pick<
  RenderOptions,
  'final' | 'assets' | 'work_dir' | 'ffmpeg_path' | 'ffprobe_path' | 'signal' | 'budget_ms'
> & {
  /** PNG unless said otherwise. */
  readonly format?: 'png' | 'jpeg';
};

export type RenderedStill = {
  readonly bytes: Buffer;
  readonly content_type: 'image/png' | 'image/jpeg';
  /** Which frame of the composition it is. */
  readonly frame: number;
  readonly width: number;
  readonly height: number;
};

const FROM_FILM = `scale=${SCALING}:in_color_matrix=bt709:in_range=tv:out_range=pc`;
const FORMATS = {
  png: { content_type: 'image/png', filters: `${FROM_FILM},format=rgb24`, encoder: ['-c:v', 'png'] },
  jpeg: {
    content_type: 'image/jpeg',
    filters: `${FROM_FILM}:out_color_matrix=bt601,format=yuvj444p`,
    encoder: ['-c:v', 'mjpeg', '-q:v', '2'],
  },
} as const;
/** Files are probed so many at once. */
const PROBED_AT_ONCE = 2;

const stillWithin = async (
  options: StillOptions,
  at_s: number,
  folder: string,
): Promise<E.Either<EngineFault, RenderedStill>> => {
  const { final, assets, ffmpeg_path } = options;
  const limits = countingDown(options);
  const composed = await sceneOf({ ...options, cores: PROBED_AT_ONCE }, limits());
  if (E.isLeft(composed)) return composed;
  const scene = composed.right;
  const frame = Math.max(0, Math.min(scene.frames - 1, frameAt(at_s, scene.fps)));
  const span = { from: frame, until: frame + 1 };
  const shown = stillsShown(scene, [span]);
  const tooFull = await diskFault(folder, bytesToDraw(scene, shown));
  if (tooFull !== null) return E.left(tooFull);
  const toDraw = { ...shown, families: familiesOf(final), assets, folder };
  const drawn = await drawStills(toDraw, limits());
  if (E.isLeft(drawn)) return drawn;
  const outputs = scene.outputs.slice(0, 1);
  const chroma = chromaOf(scene, span.from, span.until);
  const { content_type, filters, encoder } = FORMATS[options.format ?? 'png'];
  const sources = { drawn: drawn.right, assets };
  const laid = await layOut(scene, { ...span, chroma, outputs }, sources, folder, [`[v0]${filters}[still]`]);
  const file = join(folder, 'still');
  const args = [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', ...laid.inputs],
    ...['-filter_complex_script', asPath(laid.graph), '-map', '[still]', '-frames:v', '1', ...encoder],
    ...['-f', 'image2', '-update', '1', asPath(file)],
  ];
  const bounds = encodingBounds(scene, outputs, 1, laid.inputs);
  const run = await runProcess({ program: ffmpeg_path, args }, { ...limits(), bounds });
  if (E.isLeft(run)) return run;
  if (!endedWell(run.right)) return E.left(ffmpegFault(run.right.stderr));
  const { width, height } = scene;
  return E.right({ bytes: await readFile(file), content_type, frame, width, height });
};

/**
 * One frame of the composition, that which shows at `at_s` seconds (the last one where that is past the end), drawn by
 * the same scene and graph as the film. `work_dir` is left as it was.
 */
export const renderStill = async (
  options: StillOptions,
  at_s: number,
): Promise<E.Either<EngineFault, RenderedStill>> => {
  let folder: string | null = null;
  try {
    folder = await mkdtemp(join(resolve(options.work_dir), 'still-'));
    return await stillWithin(options, at_s, folder);
  } catch (cause) {
    return E.left(thrownFault(cause));
  } finally {
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
};
