import { resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import { type Inspector, type Look, Seen } from '../media/inspection.ts';
import { compositionFault, type EngineFault, refusedAfterCrash } from '../process/engine-fault.ts';
import { DECODING_BOUNDS, DRAWING_BOUNDS, INSPECTION_BOUNDS } from '../process/process-bounds.ts';
import { type ProcessLimits, retryOnceAfterCrash } from '../process/run-process.ts';
import { type DrawnFiles, drawnFiles, ODD_ANSWER } from './drawn-files.ts';
import type { OwnFace } from './fonts.ts';
import { RasterAnswer, type RasterJob } from './raster-job.ts';
import { type Line, LONGEST_MS, type RasterProgram, startRasterProgram } from './raster-program.ts';

/** Families of the project's fonts, by asset id. */
export const familiesOf = ({ assets }: Pick<FinalComposition, 'assets'>): ReadonlyMap<string, string> =>
  new Map(
    assets.flatMap(({ id, kind, font_family }) => (kind === 'font' && font_family !== null ? [[id, font_family]] : [])),
  );

/** The render whose files are read. */
export type RasterProcessOptions = {
  /** Paths of the assets' files by asset id; fonts among them. */
  readonly assets: ReadonlyMap<string, string>;
  /** The font assets of the render: the family of each, by asset id. */
  readonly families: ReadonlyMap<string, string>;
  /** Created for the drawn files; null if nothing will be drawn. */
  readonly folder: string | null;
  /** Whether it will decode pictures, though it draws none. */
  readonly decodes?: boolean;
};

/** Inspects and draws in one sandboxed process, started at the first request, for one render alone. */
export type RasterProcess = Inspector & {
  readonly draw: (job: Pick<RasterJob, 'rasters' | 'animations'>) => Promise<E.Either<EngineFault, DrawnFiles>>;
  /** Ends it; resolves when it has ended. */
  readonly close: () => Promise<void>;
};

/**
 * Within the process, a font family of the project gets a name of ours, by what the asset says of each file. So a comma
 * in its name, other names within its files, or the name of a built-in family do no harm.
 */
const faceNames = (families: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...new Set(families.values())].map((family, index) => [family, `Project Face ${index}`]));

/** One file's head is read in milliseconds. */
const LOOK_MS = 10_000;
/** 100 million pixels are decoded in seconds. */
const DECODE_MS = 60_000;
const decoded = <A>(codec: t.Decoder<unknown, A>, line: Line): E.Either<EngineFault, A> => {
  if (E.isLeft(line)) return line;
  try {
    const answer = codec.decode(JSON.parse(line.right));
    if (E.isRight(answer)) return E.right(answer.right);
  } catch {
    // no JSON either
  }
  return E.left(ODD_ANSWER);
};

/** The project's font files, each with the name of its family within the process. */
const ownFaces = ({ assets, families }: RasterProcessOptions, names: ReadonlyMap<string, string>): readonly OwnFace[] =>
  [...families].flatMap(([id, family]) => {
    const [file, name] = [assets.get(id), names.get(family)];
    return file === undefined || name === undefined ? [] : [{ file, name, family }];
  });

/** A program that outlives the raster processes of one account, each of which uses it alone. */
export type KeptProgram = {
  /** Null until the first request, and again once one has failed. */
  running: RasterProgram | null;
  /** Folders with all files that it will be asked about. */
  readonly reads: readonly string[];
  /** Of its life. */
  readonly limits: () => ProcessLimits;
};

/**
 * @param limits of these requests
 * @param kept a program that goes on when this is closed, unless a request failed or is under way; all fonts are those
 * that it was started with
 */
export const openRasterProcess = (
  of: RasterProcessOptions,
  limits: () => ProcessLimits,
  kept?: KeptProgram,
): RasterProcess => {
  const { assets, families } = of;
  const folder = of.folder === null ? null : resolve(of.folder);
  const names = faceNames(families);
  const paths = new Map([...assets].map(([id, path]) => [id, resolve(path)]));
  const own = ownFaces({ ...of, assets: paths }, names);
  const bounds = folder !== null ? DRAWING_BOUNDS : of.decodes === true ? DECODING_BOUNDS : INSPECTION_BOUNDS;
  const program = kept ?? { running: null, reads: [...paths.values()], limits };
  let closed = false;
  /** Requests are made one after the other, to know whose file a process crashed on. */
  let last: Promise<unknown> = Promise.resolve();
  let unanswered = 0;

  /** Of a kept program, what it had taken before; programs of this process alone tell their own. */
  let before_ms = kept?.running?.cpuMs() ?? 0;
  const tellCost = (): void => {
    if (kept === undefined || kept.running === null) return;
    limits().on_cpu?.(Math.max(0, kept.running.cpuMs() - before_ms));
    before_ms = kept.running.cpuMs();
  };

  const running = async (): Promise<RasterProgram> => {
    if (program.running !== null && !program.running.isOver()) return program.running;
    tellCost();
    before_ms = 0;
    program.running = await startRasterProgram({ own, reads: program.reads, folder, bounds }, program.limits());
    return program.running;
  };
  const end = async (): Promise<void> => {
    const ending = program.running;
    await ending?.close();
    if (program.running !== ending) return;
    tellCost();
    program.running = null;
  };
  /** What may have been taken over is asked nothing again. */
  const orEnd = async <A>(answer: E.Either<EngineFault, A>): Promise<E.Either<EngineFault, A>> => {
    if (E.isLeft(answer) && answer.left.tag === 'decoder_died') await end();
    return answer;
  };
  const ask = (request: Look | RasterJob, within_ms: number): Promise<Line> => {
    unanswered += 1;
    const asked = last.then(async (): Promise<Line> => {
      if (closed) return E.left({ tag: 'cancelled' });
      const its = await running();
      // Closed while it was started: nobody would end it.
      if (closed) await its.close();
      const { signal } = limits();
      const stop = (): void => void its.close();
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      const line = await its.ask(request, within_ms);
      signal.removeEventListener('abort', stop);
      if (E.isRight(line)) unanswered -= 1;
      return line;
    });
    last = asked.catch(() => undefined);
    return asked;
  };

  return {
    look: (what, path) =>
      retryOnceAfterCrash(async () => {
        const within_ms = what === 'pixels' ? DECODE_MS : LOOK_MS;
        return await orEnd(decoded(Seen, await ask({ ask: 'look', what, path: resolve(path) }, within_ms)));
      }),
    draw: async (job) => {
      if (folder === null) throw new Error('a raster process that only looks cannot draw');
      const of_render = { assets: Object.fromEntries(paths), faces: Object.fromEntries(names), folder };
      const font_files = Object.fromEntries(
        own.map(({ name }) => [name, own.filter((face) => face.name === name).map(({ file }) => file)]),
      );
      const request: RasterJob = { ask: 'draw', ...job, ...of_render, font_files };
      const answer = await retryOnceAfterCrash(async () => {
        const said = decoded(RasterAnswer, await ask(request, LONGEST_MS));
        if (E.isLeft(said)) return await orEnd<DrawnFiles>(said);
        return said.right.tag === 'composition'
          ? E.left(compositionFault(said.right.code, said.right.message, said.right.field))
          : await orEnd(await drawnFiles(said.right, job, folder));
      });
      return E.isLeft(answer)
        ? E.left(refusedAfterCrash(answer.left, 'a picture or a text of the composition'))
        : answer;
    },
    close: async () => {
      closed = true;
      // Of one that failed or is still at work, for somebody who has given up, nothing is expected any more.
      if (kept !== undefined && unanswered === 0) return tellCost();
      await end();
      await last;
      await end();
    },
  };
};
