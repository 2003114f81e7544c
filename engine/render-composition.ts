import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { type CacheWriter, openCacheWriter } from './cache/cache-writer.ts';
import { type EngineFault, exceptionFault } from './process/engine-fault.ts';
import { type ProcessLimits, remainingLimits } from './process/run-process.ts';
import { type OutputOptions, type RenderedFiles, renderOutputs } from './render/render-outputs.ts';

type FinishedFile<Type extends string> = {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly content_type: Type;
};

export type RenderedOutput = FinishedFile<'video/mp4'> & {
  /** `master`, or the name of a variant. */
  readonly variant: string;
  readonly frames: number;
  readonly duration_ms: number;
};

export type RenderResult = {
  /** Wall-clock time from the start of the first encoder to the end of the last; 0 if all parts were cached. */
  readonly encoder_ms: number;
  readonly frames_cached: number;
  /** Frames that other workers encoded during this render. */
  readonly frames_helped: number;
  readonly outputs: readonly RenderedOutput[];
  readonly poster: FinishedFile<'image/jpeg'>;
  readonly preview: (FinishedFile<'image/webp'> & { readonly duration_ms: number }) | null;
};

/** `budget_ms`: wall-clock limit of the whole render, after which its processes are killed. */
export type RenderOptions = OutputOptions &
  ProcessLimits & {
    /** Receives the outputs; all other files in it are removed. */
    readonly work_dir: string;
  };

/**
 * How long the end of a render waits until its parts are stored in the cache. They only save time for later renders.
 */
const CACHE_WRITE_MS = { succeeded: 10_000, failed: 5_000, stopped: 0 } as const;

/** Copies, because the cache may still be storing the original. */
const copyTo = async (from: string, folder: string, name: string): Promise<string> => {
  const to = join(folder, name);
  await copyFile(from, to);
  return to;
};

const moveTo = async (from: string, folder: string, name: string): Promise<string> => {
  const to = join(folder, name);
  await rename(from, to);
  return to;
};

const previewOf = async (
  { file, width, height, duration_ms }: NonNullable<RenderedFiles['preview']>,
  folder: string,
): Promise<RenderResult['preview']> => ({
  file: await copyTo(file, folder, 'preview.webp'),
  ...{ width, height, duration_ms, content_type: 'image/webp' },
});

const renderWithin = async (
  options: RenderOptions,
  folder: string,
  cacheWriter: CacheWriter,
): Promise<E.Either<EngineFault, RenderResult>> => {
  const result = await renderOutputs(options, { folder, cacheWriter }, remainingLimits(options));
  if (E.isLeft(result)) return result;
  const { scene, outputs: files, poster, preview, frames_cached, frames_helped, encoder_ms } = result.right;
  const duration_ms = Math.round((scene.frames * scene.fps.den * 1000) / scene.fps.num);
  const outputs: RenderedOutput[] = [];
  for (const { name: variant, width, height } of scene.outputs) {
    const file = await moveTo(files.get(variant) ?? '', options.work_dir, `${variant}.mp4`);
    outputs.push({ variant, file, width, height, frames: scene.frames, duration_ms, content_type: 'video/mp4' });
  }
  const { width, height } = scene;
  const picture = await copyTo(poster, options.work_dir, 'poster.jpg');
  return E.right({
    encoder_ms,
    frames_cached,
    frames_helped,
    outputs,
    poster: { file: picture, width, height, content_type: 'image/jpeg' },
    preview: preview === null ? null : await previewOf(preview, options.work_dir),
  });
};

/**
 * Writes `<variant>.mp4` for each output, and `poster.jpg`. Afterwards all other files are removed and all processes
 * have ended, also after a fault, an abort or an exceeded budget. Finished parts are cached even then.
 */
export const renderComposition = async (options: RenderOptions): Promise<E.Either<EngineFault, RenderResult>> => {
  let folder: string | null = null;
  const cacheWriter = openCacheWriter(options.cache);
  try {
    await mkdir(options.work_dir, { recursive: true });
    folder = await mkdtemp(join(resolve(options.work_dir), 'render-'));
    const rendered = await renderWithin(options, folder, cacheWriter);
    const stopped = E.isLeft(rendered) && ['cancelled', 'over_budget'].includes(rendered.left.tag);
    await cacheWriter.finish(CACHE_WRITE_MS[stopped ? 'stopped' : E.isLeft(rendered) ? 'failed' : 'succeeded']);
    return rendered;
  } catch (cause) {
    return E.left(exceptionFault(cause));
  } finally {
    // The removal is retried, because abandoned work may still write into the folder.
    if (folder !== null) await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  }
};
