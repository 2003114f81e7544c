import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { Span } from '../domain/composition/extents.ts';
import type { FinalVariant } from '../domain/composition/final-composition.ts';
import type { SegmentCache } from './cache/segment-cache.ts';
import { type Preparation, prepare } from './plan/prepare.ts';
import type { RenderPlan, Segment } from './plan/render-plan.ts';
import { runsOf } from './plan/runs.ts';
import { type EngineFault, exceptionFault, infrastructureFault } from './process/engine-fault.ts';
import { type ProcessLimits, remainingLimits } from './process/run-process.ts';
import { withinLimits } from './process/within-limits.ts';
import { drawEachOnce } from './raster/draw-each-once.ts';
import { familiesOf, openRasterProcess } from './raster/raster-process.ts';
import { hasAllParts, partKeys } from './render/cached-parts.ts';
import { encodeRun } from './render/encode-run.ts';
import { encodeVideo } from './render/encode-video.ts';
import { partsHash } from './render/helpers.ts';

const STORED_AT_ONCE = 4;

export type HelpOptions = Omit<Preparation, 'rasterProcess'> &
  ProcessLimits & {
    /** A folder is made in it, and removed. */
    readonly work_dir: string;
    /** Where whoever renders the film fetches its parts. */
    readonly cache: SegmentCache;
    /** What `want` said: nothing is encoded if this engine makes other parts. */
    readonly parts_sha256: string;
    /** The segments to encode next, counted from 0; null where nothing is left. Asked for each time all are stored. */
    readonly take: (segments: readonly Segment[], fps: RenderPlan['scene']['fps']) => Promise<Span | null>;
    /** All parts of this segment are in the cache. */
    readonly stored: (segment: number) => void;
  };

/** Why it ended. */
export type Helped = 'nothing_left' | 'other_parts';

const helpWithin = async (
  options: HelpOptions & Pick<Preparation, 'rasterProcess'>,
  folder: string,
  limits: () => ProcessLimits,
): Promise<E.Either<EngineFault, Helped>> => {
  const { assets, cache, cores, ffmpeg_path, rasterProcess, take, stored } = options;
  const prepared = await prepare(options, limits());
  if (E.isLeft(prepared)) return prepared;
  const { scene, segments } = prepared.right;
  if (partsHash(segments) !== options.parts_sha256) return E.right('other_parts');
  const count = { of_run: () => undefined };
  const common = { scene, assets, folder, ffmpeg_path, encoding: options, count, cores };
  const drawing = drawEachOnce(rasterProcess);
  let number = 0;
  for (;;) {
    const span = await take(segments, scene.fps);
    if (span === null) return E.right('nothing_left');
    const own = segments.slice(span.from, span.until);
    const there = new Set<string>();
    const isThere = hasAllParts(there);
    const say = (): void => {
      for (const segment of own) if (isThere(segment)) stored(segment.index);
    };
    for (const key of new Set(own.flatMap(partKeys))) {
      const has = await withinLimits(cache.has(key), limits());
      if (E.isLeft(has)) return has;
      if (has.right) there.add(key);
    }
    say();
    const turn = pLimit(STORED_AT_ONCE);
    const storing: Promise<void>[] = [];
    const store = async (key: string, file: string): Promise<void> => {
      await cache.store(key, file);
      // A cache that is away stores nothing, and says nothing.
      if (await cache.has(key)) there.add(key);
      say();
      await rm(file, { force: true });
    };
    const on_part = (segment: Segment, { name }: FinalVariant, file: string): void => {
      storing.push(turn(store, segment.keys[name] ?? '', file).catch(() => undefined));
    };
    const runs = runsOf(scene, own, there, cores);
    const making = { ...common, rasterProcess: drawing, runs, number, encode: encodeRun, on_part };
    const made = await encodeVideo(making, limits());
    const kept = await withinLimits(Promise.all(storing), limits());
    if (E.isLeft(made)) return made;
    if (E.isLeft(kept)) return kept;
    if (!own.every(isThere))
      return E.left(infrastructureFault('the cache does not keep what is encoded for another worker'));
    number = made.right.next;
  }
};

/**
 * Encodes parts of a film that another process renders, into the cache that both have, for as long as `take` gives some. Its
 * files are removed and its processes have ended when it returns.
 */
export const helpComposition = async (options: HelpOptions): Promise<E.Either<EngineFault, Helped>> => {
  const limits = remainingLimits(options);
  let folder: string | null = null;
  try {
    await mkdir(options.work_dir, { recursive: true });
    folder = await mkdtemp(join(resolve(options.work_dir), 'help-'));
    const { assets, final } = options;
    const of = { assets, families: familiesOf(final), folder: join(folder, 'drawn') };
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
