import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { Inspection, type InspectionRequest, type Inspector } from '../media/inspection.ts';
import { compositionFault, type EngineFault, refusedAfterCrash } from '../process/engine-fault.ts';
import { DECODING_BOUNDS, DRAWING_BOUNDS, INSPECTION_BOUNDS } from '../process/process-bounds.ts';
import { type ProcessLimits, retryOnceAfterCrash } from '../process/run-process.ts';
import { type DrawnFiles, drawnFiles, INVALID_ANSWER } from './drawn-files.ts';
import type { ProjectFontFile } from './fonts.ts';
import { RasterAnswer, type RasterJob } from './raster-job.ts';
import { MAX_TIMER_MS, type ProgramAnswer, type RasterProgram, startRasterProgram } from './raster-program.ts';

export const fontFamilyByAsset = ({ assets }: Pick<FinalComposition, 'assets'>): ReadonlyMap<string, string> =>
  new Map(
    assets.flatMap(({ id, kind, font_family }) => (kind === 'font' && font_family !== null ? [[id, font_family]] : [])),
  );

export type RasterProcessOptions = {
  readonly assets: ReadonlyMap<string, string>;
  readonly families: ReadonlyMap<string, string>;
  /** The folder is created for the drawn files; null if the process will not draw. */
  readonly folder: string | null;
  /** Whether the process will decode images without drawing. */
  readonly decodes?: boolean;
};

/** One sandboxed process, which starts at the first request and serves one render. */
export type RasterProcess = Inspector & {
  readonly draw: (job: Pick<RasterJob, 'rasters' | 'animations'>) => Promise<E.Either<EngineFault, DrawnFiles>>;
  readonly close: () => Promise<void>;
};

/** A family's name may have commas, or equal another font's or a built-in family's name, so names are generated. */
const faceNames = (families: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...new Set(families.values())].map((family, index) => [family, `Project Face ${index}`]));

/** Time limit for reading the head of a file, which takes milliseconds. */
const INSPECT_MS = 10_000;
/** Time limit for decoding an image. The largest, of 100 million pixels, takes seconds. */
const DECODE_MS = 60_000;
const decodeLine = <A>(codec: t.Decoder<unknown, A>, line: ProgramAnswer): E.Either<EngineFault, A> => {
  if (E.isLeft(line)) return line;
  try {
    const answer = codec.decode(JSON.parse(line.right));
    if (E.isRight(answer)) return E.right(answer.right);
  } catch {
    // The answer is not JSON.
  }
  return E.left(INVALID_ANSWER);
};

const ownFaces = (
  { assets, families }: RasterProcessOptions,
  names: ReadonlyMap<string, string>,
): readonly ProjectFontFile[] =>
  [...families].flatMap(([id, family]) => {
    const [file, name] = [assets.get(id), names.get(family)];
    return file === undefined || name === undefined ? [] : [{ file, name, family }];
  });

/** This program outlives the raster processes of one account. One raster process uses it at a time. */
export type ReusableProgram = {
  /** Null until the first request, and again after a failure. */
  running: RasterProgram | null;
  readonly reads: readonly string[];
  readonly limits: () => ProcessLimits;
};

/** Reports the CPU time that a reusable program uses for this process. Other programs report theirs when they end. */
const cpuReporter = (reusable: ReusableProgram | undefined, limits: () => ProcessLimits) => {
  let reported_ms = reusable?.running?.cpuMs() ?? 0;
  return {
    report: (): void => {
      if (reusable === undefined || reusable.running === null) return;
      limits().on_cpu?.(Math.max(0, reusable.running.cpuMs() - reported_ms));
      reported_ms = reusable.running.cpuMs();
    },
    restart: (): void => {
      reported_ms = 0;
    },
  };
};

/** @param reusable keeps running when this process is closed, unless a request failed or is pending */
export const openRasterProcess = (
  of: RasterProcessOptions,
  limits: () => ProcessLimits,
  reusable?: ReusableProgram,
): RasterProcess => {
  const { assets, families } = of;
  const folder = of.folder === null ? null : resolve(of.folder);
  const names = faceNames(families);
  const paths = new Map([...assets].map(([id, path]) => [id, resolve(path)]));
  const own = ownFaces({ ...of, assets: paths }, names);
  const bounds = folder !== null ? DRAWING_BOUNDS : of.decodes === true ? DECODING_BOUNDS : INSPECTION_BOUNDS;
  const program = reusable ?? { running: null, reads: [...paths.values()], limits };
  let closed = false;
  /** Requests run one after the other, so that a crash is attributed to one file. */
  let last_request: Promise<unknown> = Promise.resolve();
  let pending = 0;

  const cpu = cpuReporter(reusable, limits);

  const ensureStarted = async (): Promise<RasterProgram> => {
    if (program.running !== null && !program.running.isOver()) return program.running;
    cpu.report();
    cpu.restart();
    program.running = await startRasterProgram({ own, reads: program.reads, folder, bounds }, program.limits());
    return program.running;
  };
  const stopProgram = async (): Promise<void> => {
    const current = program.running;
    await current?.close();
    if (program.running !== current) return;
    cpu.report();
    program.running = null;
  };
  /** Stops a process that may be compromised, so that it gets no further request. */
  const stopAfterCrash = async <A>(answer: E.Either<EngineFault, A>): Promise<E.Either<EngineFault, A>> => {
    if (E.isLeft(answer) && answer.left.tag === 'decoder_died') await stopProgram();
    return answer;
  };
  const ask = (request: InspectionRequest | RasterJob, within_ms: number): Promise<ProgramAnswer> => {
    pending += 1;
    const answered = last_request.then(async (): Promise<ProgramAnswer> => {
      if (closed) return E.left({ tag: 'cancelled' });
      const started = await ensureStarted();
      // Closed while the program started: no later call would stop it.
      if (closed) await started.close();
      const { signal } = limits();
      const stop = (): void => void started.close();
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      const line = await started.ask(request, within_ms);
      signal.removeEventListener('abort', stop);
      if (E.isRight(line)) pending -= 1;
      return line;
    });
    last_request = answered.catch(() => undefined);
    return answered;
  };

  return {
    inspect: (what, path) =>
      retryOnceAfterCrash(async () => {
        const within_ms = what === 'pixels' ? DECODE_MS : INSPECT_MS;
        return await stopAfterCrash(
          decodeLine(Inspection, await ask({ ask: 'look', what, path: resolve(path) }, within_ms)),
        );
      }),
    draw: async (job) => {
      if (folder === null) throw new Error('a raster process without a folder cannot draw');
      const of_render = { assets: Object.fromEntries(paths), faces: Object.fromEntries(names), folder };
      const font_files = Object.fromEntries(
        own.map(({ name }) => [name, own.filter((face) => face.name === name).map(({ file }) => file)]),
      );
      const request: RasterJob = { ask: 'draw', ...job, ...of_render, font_files };
      const answer = await retryOnceAfterCrash(async () => {
        const result = decodeLine(RasterAnswer, await ask(request, MAX_TIMER_MS));
        if (E.isLeft(result)) return await stopAfterCrash<DrawnFiles>(result);
        return result.right.tag === 'composition'
          ? E.left(compositionFault(result.right.code, result.right.message, result.right.field))
          : await stopAfterCrash(await drawnFiles(result.right, job, folder));
      });
      return E.isLeft(answer)
        ? E.left(refusedAfterCrash(answer.left, 'a picture or a text of the composition'))
        : answer;
    },
    close: async () => {
      closed = true;
      // A reusable program keeps running, unless a request was abandoned and is still pending.
      if (reusable !== undefined && pending === 0) return cpu.report();
      await stopProgram();
      await last_request;
      await stopProgram();
    },
  };
};
