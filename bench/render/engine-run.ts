import { link, mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { SegmentCache } from '../../engine/cache/segment-cache.ts';
import type { EngineFault } from '../../engine/process/engine-fault.ts';
import {
  openWarmPrograms,
  type ProgramLease,
  type WarmPrograms,
  warmLimitsForSlots,
} from '../../engine/raster/warm-programs.ts';
import type { PartClaims } from '../../engine/render/part-claims.ts';
import { type RenderOptions, type RenderResult, renderComposition } from '../../engine/render-composition.ts';
import type { FrameOptions } from '../../engine/render-frame.ts';
import { openSandbox } from '../../platform/sandbox/open-sandbox.ts';
import type { BenchCase } from './cases.ts';

const SANDBOX = await openSandbox({ wanted: 'preferred' });

export const BUDGET_MS = 1_800_000;

export const openBenchPrograms = (work_dir: string, slots: number): WarmPrograms =>
  openWarmPrograms(work_dir, SANDBOX, warmLimitsForSlots(slots));

const ACCOUNT = 'acc_bench';

/** A warm program reads only this folder, so the case's files are linked into it. */
const linked = async ({ files }: ProgramLease, { name, assets }: BenchCase): Promise<ReadonlyMap<string, string>> => {
  const into = join(files, name.replace(/\W+/g, '-'));
  await mkdir(into, { recursive: true });
  const entries = [...assets].map(async ([id, from]) => {
    const to = join(into, basename(from));
    await link(from, to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return [id, to] as const;
  });
  return new Map(await Promise.all(entries));
};

/** Draws with a warm program that knows the account's files, like workers and the stills service. */
export const withLeasedProgram = async <A>(
  warm: WarmPrograms,
  one: BenchCase,
  work: (
    by: Pick<RenderOptions & FrameOptions, 'assets' | 'owner' | 'openRasters' | 'frames' | 'rasters'>,
  ) => Promise<E.Either<EngineFault, A>>,
): Promise<E.Either<EngineFault, A>> => {
  const lease = await warm.lease(ACCOUNT, '');
  const { open: openRasters, frames, rasters } = lease;
  const done = await work({ assets: await linked(lease, one), owner: ACCOUNT, openRasters, frames, rasters });
  await lease.release(E.isRight(done));
  return done;
};

export const enginePrograms = () => ({
  ffmpeg_path: 'ffmpeg',
  ffprobe_path: 'ffprobe',
  signal: new AbortController().signal,
  budget_ms: BUDGET_MS,
  sandbox: SANDBOX,
});

export type CaseRenderOptions = {
  readonly cache: SegmentCache;
  /** All cores by default. */
  readonly cores?: number;
  /** Warm programs serve several renders of an account. Without them, every program starts for this render. */
  readonly warm?: WarmPrograms;
  /** Concurrent renders pass the same object, as in a worker. */
  readonly claims?: PartClaims;
  readonly on_progress?: (share: number) => void;
};

/** Runs only the engine: renders `one` with this name into `folder`. */
export const renderCase = async (
  one: BenchCase,
  name: string,
  folder: string,
  { cache, cores = availableParallelism(), warm, claims, on_progress = () => undefined }: CaseRenderOptions,
): Promise<RenderResult> => {
  const options = {
    final: one.final(name),
    assets: one.assets,
    work_dir: folder,
    cache,
    cores,
    ...(claims === undefined ? {} : { claims }),
    on_progress: ({ frames_done, frames_total }: { readonly frames_done: number; readonly frames_total: number }) =>
      on_progress(frames_done / frames_total),
    ...enginePrograms(),
  };
  const rendered =
    warm === undefined
      ? await renderComposition(options)
      : await withLeasedProgram(warm, one, (by) => renderComposition({ ...options, ...by }));
  if (E.isLeft(rendered)) throw new Error(JSON.stringify(rendered.left));
  return rendered.right;
};
