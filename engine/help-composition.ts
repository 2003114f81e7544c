import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { FrameSpan } from '../domain/composition/extents.ts';
import type { FinalVariant } from '../domain/composition/final-composition.ts';
import type { SegmentCache } from './cache/segment-cache.ts';
import { prepareRenderPlan, type RenderPlanOptions } from './plan/prepare.ts';
import type { RenderPlan, Segment } from './plan/render-plan.ts';
import { planRuns } from './plan/runs.ts';
import { type EngineFault, exceptionFault, infrastructureFault } from './process/engine-fault.ts';
import { type ProcessLimits, remainingLimits } from './process/run-process.ts';
import { awaitWithinLimits } from './process/within-limits.ts';
import { deduplicatingDrawer } from './raster/draw-each-once.ts';
import { fontFamilyByAsset, openRasterProcess } from './raster/raster-process.ts';
import { hasAllParts, partKeys } from './render/cached-parts.ts';
import { encodeRun } from './render/encode-run.ts';
import { encodeVideo } from './render/encode-video.ts';
import { allPartKeysHash } from './render/helpers.ts';

const MAX_STORES = 4;

export type HelpOptions = Omit<RenderPlanOptions, 'rasterProcess'> &
  ProcessLimits & {
    readonly work_dir: string;
    /** The cache from which the render's worker fetches its parts. */
    readonly cache: SegmentCache;
    /** The hash that the render's worker announced. If this engine would encode other parts, it encodes none. */
    readonly parts_sha256: string;
    /** The segments to encode next, counted from 0; null if none remain. Called again after they are stored. */
    readonly take: (segments: readonly Segment[], fps: RenderPlan['scene']['fps']) => Promise<FrameSpan | null>;
    readonly stored: (segment: number) => void;
  };

export type HelpResult = 'nothing_left' | 'other_parts';

const helpWithin = async (
  options: HelpOptions & Pick<RenderPlanOptions, 'rasterProcess'>,
  folder: string,
  limits: () => ProcessLimits,
): Promise<E.Either<EngineFault, HelpResult>> => {
  const { assets, cache, cores, ffmpeg_path, rasterProcess, take, stored } = options;
  const prepared = await prepareRenderPlan(options, limits());
  if (E.isLeft(prepared)) return prepared;
  const { scene, segments } = prepared.right;
  if (allPartKeysHash(segments) !== options.parts_sha256) return E.right('other_parts');
  const count = { of_run: () => undefined };
  const common = { scene, assets, folder, ffmpeg_path, encoding: options, count, cores };
  const drawOnce = deduplicatingDrawer(rasterProcess);
  let number = 0;
  for (;;) {
    const span = await take(segments, scene.fps);
    if (span === null) return E.right('nothing_left');
    const own = segments.slice(span.from, span.until);
    const stored_keys = new Set<string>();
    const isStored = hasAllParts(stored_keys);
    const reportStored = (): void => {
      for (const segment of own) if (isStored(segment)) stored(segment.index);
    };
    for (const key of new Set(own.flatMap(partKeys))) {
      const has = await awaitWithinLimits(cache.has(key), limits());
      if (E.isLeft(has)) return has;
      if (has.right) stored_keys.add(key);
    }
    reportStored();
    const queue = pLimit(MAX_STORES);
    const stores: Promise<void>[] = [];
    const store = async (key: string, file: string): Promise<void> => {
      await cache.store(key, file);
      // Asks the cache, because an unavailable cache stores nothing and reports no error.
      if (await cache.has(key)) stored_keys.add(key);
      reportStored();
      await rm(file, { force: true });
    };
    const on_part = (segment: Segment, { name }: FinalVariant, file: string): void => {
      stores.push(queue(store, segment.keys[name] ?? '', file).catch(() => undefined));
    };
    const runs = planRuns(scene, own, stored_keys, cores);
    const encoding = { ...common, rasterProcess: drawOnce, runs, number, encode: encodeRun, on_part };
    const result = await encodeVideo(encoding, limits());
    const all_stored = await awaitWithinLimits(Promise.all(stores), limits());
    if (E.isLeft(result)) return result;
    if (E.isLeft(all_stored)) return all_stored;
    if (!own.every(isStored))
      return E.left(infrastructureFault('the cache does not keep parts encoded for another worker'));
    number = result.right.next;
  }
};

/** Encodes parts of another process's render into the shared cache, as long as `take` returns segments. */
export const helpComposition = async (options: HelpOptions): Promise<E.Either<EngineFault, HelpResult>> => {
  const limits = remainingLimits(options);
  let folder: string | null = null;
  try {
    await mkdir(options.work_dir, { recursive: true });
    folder = await mkdtemp(join(resolve(options.work_dir), 'help-'));
    const { assets, final } = options;
    const of = { assets, families: fontFamilyByAsset(final), folder: join(folder, 'drawn') };
    const rasterProcess = openRasterProcess(of, limits);
    try {
      return await helpWithin({ ...options, rasterProcess }, folder, limits);
    } finally {
      await rasterProcess.close();
    }
  } catch (cause) {
    return E.left(exceptionFault(cause));
  } finally {
    if (folder !== null) await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  }
};
