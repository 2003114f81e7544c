import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { prepareRenderPlan, type RenderPlanOptions } from './plan/prepare.ts';
import type { RenderPlan } from './plan/render-plan.ts';
import { planRuns } from './plan/runs.ts';
import type { EngineFault } from './process/engine-fault.ts';
import { type ProcessLimits, remainingLimits } from './process/run-process.ts';
import { awaitWithinLimits } from './process/within-limits.ts';
import { openRasterProcess } from './raster/raster-process.ts';
import type { RenderOptions } from './render-composition.ts';

export type PlanOptions = Omit<RenderOptions, 'work_dir' | 'on_progress'>;

/** `cached` has the plan's keys, of segments and of the audio mix, that are in the cache. */
export type PlannedComposition = { readonly plan: RenderPlan; readonly cached: ReadonlySet<string> };

const MAX_REQUESTS = 8;

const cachedOf = async (keys: readonly string[], { cache }: PlanOptions): Promise<ReadonlySet<string>> => {
  const limit = pLimit(MAX_REQUESTS);
  const found = await Promise.all(keys.map((key) => limit(() => cache.has(key))));
  return new Set(keys.filter((_, index) => found[index]));
};

const planWith = async (
  options: PlanOptions & Pick<RenderPlanOptions, 'rasterProcess'>,
  limits: () => ProcessLimits,
): Promise<E.Either<EngineFault, PlannedComposition>> => {
  const prepared = await prepareRenderPlan(options, limits());
  if (E.isLeft(prepared)) return prepared;
  const { scene, segments, sound_key } = prepared.right;
  const keys = new Set([sound_key, ...segments.flatMap((segment) => Object.values(segment.keys))]);
  const cached = await awaitWithinLimits(cachedOf([...keys], options), limits());
  if (E.isLeft(cached)) return cached;
  const runs = planRuns(scene, segments, cached.right, options.cores);
  return E.right({ plan: { ...prepared.right, runs }, cached: cached.right });
};

export const planComposition = async (options: PlanOptions): Promise<E.Either<EngineFault, PlannedComposition>> => {
  const limits = remainingLimits(options);
  const rasterProcess = openRasterProcess({ assets: options.assets, families: new Map(), folder: null }, limits);
  try {
    return await planWith({ ...options, rasterProcess }, limits);
  } finally {
    await rasterProcess.close();
  }
};
