import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { SourceFrames } from '../cache/source-frames.ts';
import type { Run } from '../plan/render-plan.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import { diskFault } from '../process/process-bounds.ts';
import { runAll } from '../process/run-all.ts';
import { type ProcessLimits, remainingLimits } from '../process/run-process.ts';
import type { DeduplicatingDrawer } from '../raster/draw-each-once.ts';
import { drawRasters } from '../raster/draw-rasters.ts';
import { estimateDrawnBytes } from '../scene/drawn-bytes.ts';
import { visibleRasters } from '../scene/rasters-shown.ts';
import type { EncodeRunDependencies, encodeRun } from './encode-run.ts';
import type { FrameCount } from './frame-count.ts';
import { splitOversizedRuns } from './graph-files.ts';

type VideoEncoding = Omit<EncodeRunDependencies, 'sources' | 'on_frames'> & {
  readonly assets: ReadonlyMap<string, string>;
  readonly frames?: SourceFrames;
  readonly runs: readonly Run[];
  readonly rasterProcess: DeduplicatingDrawer;
  readonly count: Pick<FrameCount, 'of_run'>;
  readonly cores: number;
  readonly folder: string;
  /** Number of the first run. Each run in a folder has a unique number. */
  readonly number: number;
  readonly encode: typeof encodeRun;
};

export type EncodeResult = { readonly encoder_ms: number; readonly next: number };

export const encodeVideo = async (
  { runs, assets, frames, rasterProcess, count, cores, folder, number, encode, ...parts }: VideoEncoding,
  limits: ProcessLimits,
): Promise<E.Either<EngineFault, EncodeResult>> => {
  if (runs.length === 0) return E.right({ encoder_ms: 0, next: number });
  const limitsNow = remainingLimits(limits);
  const { scene } = parts;
  const shown = visibleRasters(scene, runs);
  const disk_fault = await diskFault(folder, estimateDrawnBytes(scene, rasterProcess.undrawn(shown)));
  if (disk_fault !== null) return E.left(disk_fault);
  const drawn = await drawRasters(shown, rasterProcess, limitsNow());
  if (E.isLeft(drawn)) return drawn;
  const sources = { drawn: drawn.right, assets, ...(frames === undefined ? {} : { frames }) };
  const split = splitOversizedRuns(scene, runs, sources);
  if (E.isLeft(split)) return split;
  const began_at = performance.now();
  const tasks = split.right.map((run, index) => {
    const on_frames = (frames: number): void => count.of_run(run, frames);
    const own = { ...parts, sources, on_frames };
    return (run_limits: ProcessLimits) => encode(run, join(folder, `run-${number + index}`), own, run_limits);
  });
  const result = await runAll(tasks, cores, limitsNow);
  if (E.isLeft(result)) return result;
  return E.right({ encoder_ms: Math.round(performance.now() - began_at), next: number + tasks.length });
};
