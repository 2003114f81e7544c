import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { FinalVariant } from '../../domain/composition/final-composition.ts';
import type { CacheWriter } from '../cache/cache-writer.ts';
import type { SegmentCache } from '../cache/segment-cache.ts';
import type { SourceFrames } from '../cache/source-frames.ts';
import type { PreviewShape } from '../encode/preview.ts';
import { type Preparation, prepare } from '../plan/prepare.ts';
import type { RenderPlan, Segment } from '../plan/render-plan.ts';
import type { EngineFault } from '../process/engine-fault.ts';
import { diskFault, spaceFault } from '../process/process-bounds.ts';
import { runAll } from '../process/run-all.ts';
import { type ProcessLimits, remainingLimits } from '../process/run-process.ts';
import { withinLimits, workWithinLimits } from '../process/within-limits.ts';
import { drawEachOnce } from '../raster/draw-each-once.ts';
import { familiesOf, openRasterProcess } from '../raster/raster-process.ts';
import type { OpenRasters } from '../raster/warm-programs.ts';
import type { Scene } from '../scene/scene.ts';
import { fetchCached, hasAllParts, type PartFiles } from './cached-parts.ts';
import { encodeMissing } from './encode-missing.ts';
import { encodeSound } from './encode-sound.ts';
import { finishOutput, finishPoster, finishPreview, posterPart } from './finish.ts';
import { countFrames, framesIn, type OnProgress } from './frame-count.ts';
import { type Helpers, NO_HELPERS } from './helpers.ts';
import { type Claimant, joinNobody, type PartClaims } from './part-claims.ts';

/** Finished files in the render's folder. */
export type RenderedFiles = {
  readonly scene: Scene;
  /** By the output's name. */
  readonly outputs: ReadonlyMap<string, string>;
  readonly poster: string;
  readonly preview: (PreviewShape & { readonly file: string }) | null;
  readonly frames_cached: number;
  /** Encoded by others meanwhile. */
  readonly frames_helped: number;
  readonly encoder_ms: number;
};

export type OutputOptions = Omit<Preparation, 'rasterProcess'> & {
  /** The account's segment cache: parts are fetched from it, and stored as they are finished. */
  readonly cache: SegmentCache;
  /** Frames that are in all outputs; cached ones count at once. Never decreases. */
  readonly on_progress: OnProgress;
  /** Others that may encode parts into the cache; nobody if left out. */
  readonly helpers?: Helpers;
  /** Of all renders of this process; none shares its work if left out. */
  readonly claims?: PartClaims;
  /** Decoded frames of the account's renders before, and of this one; none if left out. */
  readonly frames?: SourceFrames;
  /** Opens a raster process whose program is running already; it is started for this render if left out. */
  readonly openRasters?: OpenRasters;
};
/** With what the render has while it lasts. */
type RenderingOptions = OutputOptions & Preparation & { readonly claimant: Claimant };
type Limits = () => ProcessLimits;
/** The render's folder, and the writer of its cache. */
type Place = { readonly folder: string; readonly cacheWriter: CacheWriter };
type Pieces = Pick<RenderedFiles, 'frames_cached' | 'frames_helped' | 'encoder_ms'> & { readonly sound: string };

/** With less free space no decoded frames are written. All renders of a worker keep and write 6 GiB of them at most (ADR 93). */
const ROOM_BYTES = 8 * 2 ** 30;

/** For fetching cached parts: then the rest is encoded. */
const CACHED_PARTS_MS = 300_000;

/** What is there of the parts, by key. `posed`: once the one that shows the poster is there. */
const gatherParts = (scene: Scene, segments: readonly Segment[]) => {
  const parts = new Map<string, string>();
  const posing = posterPart(scene, segments);
  const { promise: posed, resolve } = Promise.withResolvers<void>();
  const add = (key: string, file: string): void => {
    parts.set(key, file);
    if (key === posing.key) resolve();
  };
  return { parts: parts as PartFiles, add, posed };
};

/** Gathers all parts, fetching cached ones and encoding the missing ones, and the audio mix, concurrently. */
const makePieces = async (
  { assets, cache, cores, ffmpeg_path, rasterProcess, claimant, ...options }: RenderingOptions,
  { scene, segments, sound_key }: Omit<RenderPlan, 'runs'>,
  { parts, add }: ReturnType<typeof gatherParts>,
  { folder, cacheWriter }: Place,
  limits: Limits,
): Promise<E.Either<EngineFault, Pieces>> => {
  const fetchParts = async (
    of: readonly Segment[],
    its: ProcessLimits,
  ): Promise<E.Either<EngineFault, readonly string[]>> => {
    const fetched = await workWithinLimits((signal) => {
      const either = AbortSignal.any([signal, AbortSignal.timeout(CACHED_PARTS_MS)]);
      return fetchCached(scene, of, parts, cache, folder, either);
    }, its);
    if (E.isLeft(fetched)) return fetched;
    for (const [key, file] of fetched.right) add(key, file);
    return E.right([...fetched.right.keys()]);
  };
  const fetched = await fetchParts(segments, limits());
  if (E.isLeft(fetched)) return fetched;
  const framesThere = (): number => framesIn(segments.filter(hasAllParts(parts)));
  const frames_cached = framesThere();
  const count = countFrames(segments, parts, options.on_progress);
  count.added();

  // Whatever changes between two renders of a version will change again: what lies under it is then decoded already.
  const { frames } = options;
  const is_again = frames_cached > 0 && frames !== undefined && (await diskFault(folder, ROOM_BYTES)) === null;

  const on_part = (segment: Segment, { name }: { readonly name: string }, file: string): void => {
    const key = segment.keys[name] ?? '';
    add(key, file);
    // A cache that does not keep what is encoded shares nothing.
    cacheWriter.store(key, file, (is_there) => (is_there ? claimant.stored(key) : claimant.leave()));
  };
  const common = { scene, assets, folder, ffmpeg_path };
  const made = { sound: '', encoder_ms: 0, frames_helped: 0 };
  const takeParts = async (of: readonly Segment[], its: ProcessLimits): Promise<E.Either<EngineFault, void>> => {
    const before = framesThere();
    const brought = await fetchParts(of, its);
    if (E.isLeft(brought)) return brought;
    made.frames_helped += framesThere() - before;
    count.added();
    // The other renders do not know what helpers bring to this one.
    for (const key of brought.right) claimant.stored(key);
    return E.right(undefined);
  };
  const done = await runAll(
    [
      async (its) => {
        const picturing = {
          ...common,
          ...(is_again ? { frames } : {}),
          rasterProcess: drawEachOnce(rasterProcess),
          encoding: options,
          count,
          cores,
          on_part,
        };
        const helpers = options.helpers ?? NO_HELPERS;
        const missing = { segments, parts, helpers, claimant, fetchParts: takeParts };
        const took = await encodeMissing({ ...picturing, ...missing }, its);
        if (E.isRight(took)) made.encoder_ms = took.right;
        return took;
      },
      async (its) => {
        const mixed = await encodeSound({ ...common, sound_key, cache, cacheWriter }, its);
        if (E.isRight(mixed)) made.sound = mixed.right;
        return mixed;
      },
    ],
    2,
    limits,
  );
  return E.isLeft(done) ? done : E.right({ ...made, frames_cached });
};

const makeWith = async (
  options: RenderingOptions,
  place: Place,
  limits: Limits,
): Promise<E.Either<EngineFault, RenderedFiles>> => {
  const { final, cores } = options;
  const prepared = await prepare(options, limits());
  if (E.isLeft(prepared)) return prepared;
  const { scene, segments } = prepared.right;
  const tooFull = await spaceFault(place.folder, scene.outputs, scene.frames);
  if (tooFull !== null) return E.left(tooFull);

  const gathered = gatherParts(scene, segments);
  const finishing = { ...options, ...place, scene, segments, parts: gathered.parts };
  const outputs = new Map<string, string>();
  const made: { poster: string; preview: RenderedFiles['preview'] } = { poster: '', preview: null };
  let figures = { frames_cached: 0, frames_helped: 0, encoder_ms: 0 };
  const finish = (output: FinalVariant, sound: string) => async (its: ProcessLimits) => {
    const file = await finishOutput(output, sound, finishing, its);
    if (E.isLeft(file)) return file;
    outputs.set(output.name, file.right);
    if (output.name !== 'master' || final.preview === null) return file;
    const preview = await finishPreview(final.preview, file.right, finishing, its);
    if (E.isRight(preview)) made.preview = preview.right;
    return preview;
  };
  const done = await runAll(
    [
      async (its) => {
        const left = remainingLimits(its);
        const pieces = await makePieces(options, prepared.right, gathered, place, left);
        if (E.isLeft(pieces)) return pieces;
        const { sound, ...counted } = pieces.right;
        figures = counted;
        const tasks = scene.outputs.map((output) => finish(output, sound));
        return await runAll(tasks, cores, left);
      },
      // Beside the encoding and the joining.
      async (its) => {
        const there = await withinLimits(gathered.posed, its);
        if (E.isLeft(there)) return there;
        const taken = await finishPoster(finishing, its);
        if (E.isRight(taken)) made.poster = taken.right;
        return taken;
      },
    ],
    2,
    limits,
  );
  return E.isLeft(done) ? done : E.right({ scene, outputs, ...made, ...figures });
};

/** Renders all files of a render into its folder. */
export const renderOutputs = async (
  making: OutputOptions,
  place: Place,
  limits: Limits,
): Promise<E.Either<EngineFault, RenderedFiles>> => {
  const { final, assets, owner, claims, openRasters } = making;
  const of = { assets, families: familiesOf(final) };
  const rasterProcess =
    openRasters?.(of, limits) ?? openRasterProcess({ ...of, folder: join(place.folder, 'drawn') }, limits);
  // Before the cache is asked, so that it hears of all that is stored later.
  const claimant = owner === undefined || claims === undefined ? joinNobody() : claims.join(owner);
  try {
    return await makeWith({ ...making, rasterProcess, claimant }, place, limits);
  } finally {
    claimant.leave();
    await rasterProcess.close();
  }
};
