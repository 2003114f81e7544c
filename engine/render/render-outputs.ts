import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { CacheWriter } from '../cache/cache-writer.ts';
import type { SegmentCache } from '../cache/segment-cache.ts';
import type { SourceFrames } from '../cache/source-frames.ts';
import type { PreviewShape } from '../encode/preview.ts';
import { prepareRenderPlan, type RenderPlanOptions } from '../plan/prepare.ts';
import type { RenderPlan, Segment } from '../plan/render-plan.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import { diskFault, spaceFault } from '../process/process-bounds.ts';
import { runAll } from '../process/run-all.ts';
import { type ProcessLimits, remainingLimits } from '../process/run-process.ts';
import { awaitWithinLimits, runWithinLimits } from '../process/within-limits.ts';
import { deduplicatingDrawer } from '../raster/draw-each-once.ts';
import { fontFamilyByAsset, openRasterProcess } from '../raster/raster-process.ts';
import type { OpenRasters } from '../raster/warm-programs.ts';
import type { Scene } from '../scene/scene.ts';
import { fetchCached, hasAllParts, type PartFiles } from './cached-parts.ts';
import { encodeMissing } from './encode-missing.ts';
import { encodeSound } from './encode-sound.ts';
import { findPosterPart, finishOutput, finishPoster, finishPreview } from './finish.ts';
import { createFrameCounter, type OnProgress, totalFrames } from './frame-count.ts';
import { type Helpers, NO_HELPERS } from './helpers.ts';
import { type Claimant, createUnsharedClaimant, type PartClaims } from './part-claims.ts';

export type RenderedFiles = {
  readonly scene: Scene;
  readonly outputs: ReadonlyMap<string, string>;
  readonly poster: string;
  readonly preview: (PreviewShape & { readonly file: string }) | null;
  readonly frames_cached: number;
  readonly frames_helped: number;
  readonly encoder_ms: number;
};

export type OutputOptions = Omit<RenderPlanOptions, 'rasterProcess'> & {
  /** The account's segment cache: parts are fetched from it, and stored as they are finished. */
  readonly cache: SegmentCache;
  /** Frames that are in all outputs; cached ones count at once. Never decreases. */
  readonly on_progress: OnProgress;
  /** Other workers that may encode parts into the cache; none by default. */
  readonly helpers?: Helpers;
  /** Claims of all renders of this process. Without them, the render shares no work. */
  readonly claims?: PartClaims;
  /** Decoded frames of the account's earlier renders and of this one; none by default. */
  readonly frames?: SourceFrames;
  /** Opens a raster process whose program is already running. By default the render starts one. */
  readonly openRasters?: OpenRasters;
};
type RenderingOptions = OutputOptions & RenderPlanOptions & { readonly claimant: Claimant };
type Limits = () => ProcessLimits;
type Place = { readonly folder: string; readonly cacheWriter: CacheWriter };
type RenderedParts = Pick<RenderedFiles, 'frames_cached' | 'frames_helped' | 'encoder_ms'> & { readonly sound: string };

/** With less free space, no decoded frames are written. A worker's renders together keep at most 6 GiB (ADR 93). */
const MIN_FREE_BYTES = 8 * 2 ** 30;

const CACHED_PARTS_MS = 300_000;

/** `posterReady` resolves once the part that contains the poster is present. */
const gatherParts = (scene: Scene, segments: readonly Segment[]) => {
  const parts = new Map<string, string>();
  const poster_segment = findPosterPart(scene, segments);
  const { promise: posterReady, resolve } = Promise.withResolvers<void>();
  const add = (key: string, file: string): void => {
    parts.set(key, file);
    if (key === poster_segment.key) resolve();
  };
  return { parts: parts as PartFiles, add, posterReady };
};

const renderParts = async (
  { assets, cache, cores, ffmpeg_path, rasterProcess, claimant, ...options }: RenderingOptions,
  { scene, segments, sound_key }: Omit<RenderPlan, 'runs'>,
  { parts, add }: ReturnType<typeof gatherParts>,
  { folder, cacheWriter }: Place,
  limits: Limits,
): Promise<E.Either<EngineFault, RenderedParts>> => {
  const fetchParts = async (
    of: readonly Segment[],
    task_limits: ProcessLimits,
  ): Promise<E.Either<EngineFault, readonly string[]>> => {
    const fetched = await runWithinLimits((signal) => {
      const either = AbortSignal.any([signal, AbortSignal.timeout(CACHED_PARTS_MS)]);
      return fetchCached(scene, of, parts, cache, folder, either);
    }, task_limits);
    if (E.isLeft(fetched)) return fetched;
    for (const [key, file] of fetched.right) add(key, file);
    return E.right([...fetched.right.keys()]);
  };
  const fetched = await fetchParts(segments, limits());
  if (E.isLeft(fetched)) return fetched;
  const framesPresent = (): number => totalFrames(segments.filter(hasAllParts(parts)));
  const frames_cached = framesPresent();
  const count = createFrameCounter(segments, parts, options.on_progress);
  count.added();

  // If some parts were cached, another layer has changed since an earlier render, and it will probably change again.
  // Decoded frames of lower layers then save time.
  const { frames } = options;
  const is_again = frames_cached > 0 && frames !== undefined && (await diskFault(folder, MIN_FREE_BYTES)) === null;

  const on_part = (segment: Segment, { name }: { readonly name: string }, file: string): void => {
    const key = segment.keys[name] ?? '';
    add(key, file);
    // If the cache did not store the part, this render releases its claims, because it cannot share its parts.
    cacheWriter.store(key, file, (is_there) => (is_there ? claimant.stored(key) : claimant.leave()));
  };
  const common = { scene, assets, folder, ffmpeg_path };
  const result = { sound: '', encoder_ms: 0, frames_helped: 0 };
  const takeParts = async (
    of: readonly Segment[],
    task_limits: ProcessLimits,
  ): Promise<E.Either<EngineFault, void>> => {
    const before = framesPresent();
    const delivered = await fetchParts(of, task_limits);
    if (E.isLeft(delivered)) return delivered;
    result.frames_helped += framesPresent() - before;
    count.added();
    // Reports parts from helpers to the account's other renders, which do not learn about them otherwise.
    for (const key of delivered.right) claimant.stored(key);
    return E.right(undefined);
  };
  const done = await runAll(
    [
      async (task_limits) => {
        const video = {
          ...common,
          ...(is_again ? { frames } : {}),
          rasterProcess: deduplicatingDrawer(rasterProcess),
          encoding: options,
          count,
          cores,
          on_part,
        };
        const helpers = options.helpers ?? NO_HELPERS;
        const missing = { segments, parts, helpers, claimant, fetchParts: takeParts };
        const encoded = await encodeMissing({ ...video, ...missing }, task_limits);
        if (E.isRight(encoded)) result.encoder_ms = encoded.right;
        return encoded;
      },
      async (task_limits) => {
        const mixed = await encodeSound({ ...common, sound_key, cache, cacheWriter }, task_limits);
        if (E.isRight(mixed)) result.sound = mixed.right;
        return mixed;
      },
    ],
    2,
    limits,
  );
  return E.isLeft(done) ? done : E.right({ ...result, frames_cached });
};

const renderPlan = async (
  options: RenderingOptions,
  place: Place,
  limits: Limits,
): Promise<E.Either<EngineFault, RenderedFiles>> => {
  const { final, cores } = options;
  const prepared = await prepareRenderPlan(options, limits());
  if (E.isLeft(prepared)) return prepared;
  const { scene, segments } = prepared.right;
  const disk_fault = await spaceFault(place.folder, scene.outputs, scene.frames);
  if (disk_fault !== null) return E.left(disk_fault);

  const gathered = gatherParts(scene, segments);
  const finishing = { ...options, ...place, scene, segments, parts: gathered.parts };
  const outputs = new Map<string, string>();
  const result: { poster: string; preview: RenderedFiles['preview'] } = { poster: '', preview: null };
  let figures = { frames_cached: 0, frames_helped: 0, encoder_ms: 0 };
  const finish = (output: FinalVariant, sound: string) => async (task_limits: ProcessLimits) => {
    const file = await finishOutput(output, sound, finishing, task_limits);
    if (E.isLeft(file)) return file;
    outputs.set(output.name, file.right);
    if (output.name !== 'master' || final.preview === null) return file;
    const preview = await finishPreview(final.preview, file.right, finishing, task_limits);
    if (E.isRight(preview)) result.preview = preview.right;
    return preview;
  };
  const done = await runAll(
    [
      async (task_limits) => {
        const limitsNow = remainingLimits(task_limits);
        const rendered = await renderParts(options, prepared.right, gathered, place, limitsNow);
        if (E.isLeft(rendered)) return rendered;
        const { sound, ...counted } = rendered.right;
        figures = counted;
        const tasks = scene.outputs.map((output) => finish(output, sound));
        return await runAll(tasks, cores, limitsNow);
      },
      async (task_limits) => {
        const ready = await awaitWithinLimits(gathered.posterReady, task_limits);
        if (E.isLeft(ready)) return ready;
        const poster = await finishPoster(finishing, task_limits);
        if (E.isRight(poster)) result.poster = poster.right;
        return poster;
      },
    ],
    2,
    limits,
  );
  return E.isLeft(done) ? done : E.right({ scene, outputs, ...result, ...figures });
};

export const renderOutputs = async (
  options: OutputOptions,
  place: Place,
  limits: Limits,
): Promise<E.Either<EngineFault, RenderedFiles>> => {
  const { final, assets, owner, claims, openRasters } = options;
  const of = { assets, families: fontFamilyByAsset(final) };
  const rasterProcess =
    openRasters?.(of, limits) ?? openRasterProcess({ ...of, folder: join(place.folder, 'drawn') }, limits);
  // Joins before it queries the cache, so that it learns of all parts stored later.
  const claimant = owner === undefined || claims === undefined ? createUnsharedClaimant() : claims.join(owner);
  try {
    return await renderPlan({ ...options, rasterProcess, claimant }, place, limits);
  } finally {
    claimant.leave();
    await rasterProcess.close();
  }
};
