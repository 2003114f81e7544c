import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { frameAt } from '../domain/composition/frame-rate.ts';
import type { SourceFrames } from './cache/source-frames.ts';
import { sourceFrameOutputs } from './filtergraph/kept-frames.ts';
import { SCALE_FLAGS } from './filtergraph/placement.ts';
import { findRunFault, findSourceFault } from './media/decode-alone.ts';
import { keysOfDrawn } from './plan/describe-segment.ts';
import { sceneOf } from './plan/prepare.ts';
import { type EngineFault, exceptionFault, infrastructureFault } from './process/engine-fault.ts';
import { absolutePath } from './process/ffmpeg-arguments.ts';
import { hasSucceeded } from './process/ffmpeg-faults.ts';
import { diskFault, encodingBounds, withExtraFiles } from './process/process-bounds.ts';
import { type ProcessLimits, remainingLimits, runProcess } from './process/run-process.ts';
import { drawChangedRasters } from './raster/draw-changed.ts';
import { drawRasters } from './raster/draw-rasters.ts';
import type { Size } from './raster/geometry.ts';
import type { KeptRasters } from './raster/kept-rasters.ts';
import { fontFamilyByAsset, openRasterProcess, type RasterProcess } from './raster/raster-process.ts';
import type { OpenRasters } from './raster/warm-programs.ts';
import { writeGraphFiles } from './render/graph-files.ts';
import type { RenderOptions } from './render-composition.ts';
import { estimateDrawnBytes } from './scene/drawn-bytes.ts';
import { visibleRasters } from './scene/rasters-shown.ts';

export type StillFormat = 'png' | 'jpeg' | 'webp';

export type FrameOptions = Pick<
  RenderOptions,
  'final' | 'assets' | 'work_dir' | 'ffmpeg_path' | 'ffprobe_path' | keyof ProcessLimits
> & {
  readonly format?: StillFormat;
  /** Pixels. A larger frame is scaled down. */
  readonly longest_side?: number;
  /** The account, for which properties of images and fonts are cached; not cached without it. */
  readonly owner?: string;
  /** Opens a raster process whose program is already running. By default the frame starts one. */
  readonly openRasters?: OpenRasters;
  /** Decoded frames of earlier stills, and later of this one; none by default. */
  readonly frames?: SourceFrames;
  /** Rasters of earlier stills, which need `frames`, and later of this one; none by default. */
  readonly rasters?: KeptRasters;
};

export type RenderedFrame = {
  readonly bytes: Buffer;
  readonly content_type: `image/${StillFormat}`;
  readonly frame: number;
  readonly width: number;
  readonly height: number;
};

const FROM_BT709 = `scale=${SCALE_FLAGS}:in_color_matrix=bt709:in_range=tv`;
const FROM_BT709_VIDEO = `${FROM_BT709}:out_range=pc`;
/** Encodes three times as fast as the default options. Files are a tenth larger, but those of photos are smaller. */
const FAST_PNG = ['-c:v', 'png', '-pred', 'up', '-compression_level', '2'] as const;
/** The default level takes three times as long, for files that are a tenth smaller. */
const FAST_WEBP = ['-c:v', 'libwebp', '-quality', '85', '-compression_level', '1'] as const;
const FORMATS = {
  png: { content_type: 'image/png', filters: `${FROM_BT709_VIDEO},format=rgb24`, encoder: FAST_PNG },
  jpeg: {
    content_type: 'image/jpeg',
    filters: `${FROM_BT709_VIDEO}:out_color_matrix=bt601,format=yuvj444p`,
    encoder: ['-c:v', 'mjpeg', '-q:v', '2'],
  },
  webp: {
    content_type: 'image/webp',
    filters: `${FROM_BT709}:out_range=tv:out_color_matrix=bt601,format=yuv420p`,
    encoder: FAST_WEBP,
  },
} as const;
/** With less free space, no decoded frames are written. All programs together keep and write less than this. */
const MIN_FREE_BYTES = 2 ** 30;
const MAX_PROBES = 2;

const sizeWithin = ({ width, height }: Size, longest_side = Math.max(width, height)): Size => {
  const scale = Math.min(1, longest_side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
};

const frameWithin = async (
  options: FrameOptions & { readonly rasterProcess: RasterProcess },
  at_s: number,
  folder: string,
  limits: () => ProcessLimits,
): Promise<E.Either<EngineFault, RenderedFrame>> => {
  const { assets, ffmpeg_path, rasterProcess, frames } = options;
  const composed = await sceneOf({ ...options, cores: MAX_PROBES }, limits());
  if (E.isLeft(composed)) return composed;
  const scene = composed.right;
  const frame = Math.max(0, Math.min(scene.frames - 1, frameAt(at_s, scene.fps)));
  const span = { from: frame, until: frame + 1 };
  const shown = visibleRasters(scene, [span]);
  const drawn_bytes = estimateDrawnBytes(scene, shown);
  const disk_fault = await diskFault(folder, drawn_bytes);
  if (disk_fault !== null) return E.left(disk_fault);
  const is_kept = frames !== undefined && (await diskFault(folder, drawn_bytes + MIN_FREE_BYTES)) === null;
  const keys = keysOfDrawn(scene);
  const drawn =
    is_kept && options.rasters !== undefined
      ? await drawChangedRasters(shown, { keyOf: (id) => keys.get(id), kept: options.rasters }, rasterProcess, limits())
      : await drawRasters(shown, rasterProcess, limits());
  if (E.isLeft(drawn)) return drawn;
  const outputs = scene.outputs.slice(0, 1);
  const { content_type, filters, encoder } = FORMATS[options.format ?? 'png'];
  const sources = { drawn: drawn.right, assets, ...(is_kept ? { frames } : {}) };
  const { width, height } = sizeWithin(scene, options.longest_side);
  const own = join(folder, 'raster');
  await mkdir(own);
  const output_filters = filters.replace('scale=', `scale=${width}:${height}:`);
  const files = await writeGraphFiles(scene, { ...span, outputs }, sources, own, [`[v0]${output_filters}[frame]`]);
  const file = join(own, 'raster');
  const args = [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', ...files.inputs],
    ...['-filter_complex_script', absolutePath(files.graph), '-map', '[frame]', '-frames:v', '1', ...encoder],
    ...['-f', 'image2', '-update', '1', absolutePath(file)],
    ...sourceFrameOutputs(files.frames),
  ];
  const bounds = withExtraFiles(encodingBounds(scene, outputs, 1, files.inputs), files.frames);
  const run = await runProcess({ program: ffmpeg_path, args, reads: files.reads, writes: own, bounds }, limits());
  if (E.isLeft(run)) return run;
  const decoding = { ffmpeg_path, limits: limits() };
  if (!hasSucceeded(run.right)) return E.left(await findRunFault(run.right.stderr, files.parts, decoding));
  if (!existsSync(file)) {
    const no_picture = infrastructureFault('ffmpeg wrote no picture');
    return E.left(await findSourceFault(files.parts, no_picture, 'first_frame', decoding));
  }
  for (const kept of files.frames) await frames?.keep(kept);
  return E.right({ bytes: await readFile(file), content_type, frame, width, height });
};

/** Uses the scene and filter graph of the video. A time after the end gives the last frame. Leaves no files. */
export const renderFrame = async (
  options: FrameOptions,
  at_s: number,
): Promise<E.Either<EngineFault, RenderedFrame>> => {
  let folder: string | null = null;
  let rasterProcess: RasterProcess | null = null;
  try {
    folder = await mkdtemp(join(resolve(options.work_dir), 'frame-'));
    const { final, assets } = options;
    const of = { assets, families: fontFamilyByAsset(final) };
    const limits = remainingLimits(options);
    const drawn = join(folder, 'drawn');
    rasterProcess = options.openRasters?.(of, limits) ?? openRasterProcess({ ...of, folder: drawn }, limits);
    return await frameWithin({ ...options, rasterProcess }, at_s, folder, limits);
  } catch (cause) {
    return E.left(exceptionFault(cause));
  } finally {
    await rasterProcess?.close();
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
};
