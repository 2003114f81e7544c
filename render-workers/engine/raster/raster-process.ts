import { mkdir, mkdtemp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { FinalComposition } from '../../../domain/composition/final-composition.ts';
import { type Inspector, type Look, Seen } from '../media/inspection.ts';
import { compositionFault, type EngineFault, finallyDied, infrastructureFault } from '../process/engine-fault.ts';
import { DECODING_BOUNDS, DRAWING_BOUNDS, LOOKING_BOUNDS } from '../process/process-bounds.ts';
import { type Finished, lastLine, type ProcessLimits, runProcess, twice } from '../process/run-process.ts';
import { type DrawnFiles, drawnFiles, ODD_ANSWER } from './drawn-files.ts';
import { type OwnFace, writeFontsConf } from './fonts.ts';
import { type ProgramCaches, programCaches } from './program-caches.ts';
import { RasterAnswer, type RasterJob } from './raster-job.ts';

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
/** Of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

type Line = E.Either<EngineFault, string>;

/** JSON without the two characters that JSON leaves as they are and readers of lines take for the ends of lines. */
const oneLine = (request: unknown): string =>
  JSON.stringify(request).replace(/[\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);

/** A running process. `ask` sends one line, and resolves to the line that answers it. */
const start = (program: Parameters<typeof runProcess>[0], limits: ProcessLimits) => {
  const life = new AbortController();
  let late_after_ms: number | null = null;
  const waiting: ((line: Line) => void)[] = [];
  let input: { readonly write: (text: string) => void; readonly end: () => void } | null = null;
  let over: Line | null = null;
  const ending = (ended: E.Either<EngineFault, Finished>): Line =>
    late_after_ms !== null
      ? E.left({ tag: 'decoder_died', message: `reading a file took more than ${late_after_ms / 1000} s` })
      : E.isLeft(ended)
        ? ended
        : E.left(
            infrastructureFault(
              `the raster process failed: ${lastLine(ended.right.stderr) || 'it ended without an answer'}`,
            ),
          );
  const early: string[] = [];
  const ended = runProcess(
    {
      ...program,
      on_open: (opened) => {
        input = opened;
        for (const text of early) opened.write(text);
      },
      on_line: (line) => waiting.shift()?.(E.right(line)),
    },
    { ...limits, signal: AbortSignal.any([limits.signal, life.signal]) },
  ).then((run) => {
    over = ending(run);
    for (const settle of waiting.splice(0)) settle(over);
  });
  return {
    ask: async (request: unknown, within_ms: number): Promise<Line> => {
      if (over !== null) return over;
      const { promise, resolve: settle } = Promise.withResolvers<Line>();
      waiting.push(settle);
      const text = `${oneLine(request)}\n`;
      if (input === null) early.push(text);
      else input.write(text);
      const timer = setTimeout(
        () => {
          late_after_ms = within_ms;
          life.abort();
        },
        Math.min(within_ms, LONGEST_MS),
      );
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    },
    isOver: () => over !== null,
    close: async () => {
      input?.end();
      life.abort();
      await ended;
    },
  };
};

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
    return file === undefined || name === undefined ? [] : [{ file, name }];
  });

const environment = async (
  { folder }: RasterProcessOptions,
  own: readonly OwnFace[],
  caches: ProgramCaches,
): Promise<Readonly<Record<string, string>>> => {
  // The user's locale would choose between forms of some letters.
  const common = { ...caches.env, PANGO_LANGUAGE: 'en' };
  if (folder === null) return common;
  await mkdir(folder, { recursive: true });
  const fonts = await mkdtemp(join(folder, 'fonts-'));
  return {
    ...common,
    FONTCONFIG_FILE: await writeFontsConf(fonts, caches.fonts ?? join(folder, 'kept-fonts'), own, caches.faces),
  };
};

export const openRasterProcess = (of: RasterProcessOptions, limits: () => ProcessLimits): RasterProcess => {
  const { assets, families } = of;
  const folder = of.folder === null ? null : resolve(of.folder);
  const names = faceNames(families);
  const paths = new Map([...assets].map(([id, path]) => [id, resolve(path)]));
  const own = ownFaces({ ...of, assets: paths }, names);
  let process: ReturnType<typeof start> | null = null;
  let closed = false;
  /** Requests are made one after the other, to know whose file a process crashed on. */
  let last: Promise<unknown> = Promise.resolve();

  const running = async (): Promise<ReturnType<typeof start>> => {
    if (process !== null && !process.isOver()) return process;
    const of_process = limits();
    const caches = await programCaches(of_process.sandbox);
    const env = await environment({ ...of, folder }, own, caches);
    const reads = [...caches.files.reads, ...caches.reads, ...paths.values()];
    const program = { program: caches.files.node, args: [caches.program], env, reads };
    const bounds = folder !== null ? DRAWING_BOUNDS : of.decodes === true ? DECODING_BOUNDS : LOOKING_BOUNDS;
    process = start({ ...program, ...(folder === null ? {} : { writes: folder }), bounds }, of_process);
    return process;
  };
  const ask = (request: Look | RasterJob, within_ms: number): Promise<Line> => {
    const asked = last.then(async (): Promise<Line> => {
      if (closed) return E.left({ tag: 'cancelled' });
      const its = await running();
      // Closed while it was started: nobody would end it.
      if (closed) await its.close();
      return await its.ask(request, within_ms);
    });
    last = asked.catch(() => undefined);
    return asked;
  };

  return {
    look: (what, path) =>
      twice(async () => {
        const within_ms = what === 'pixels' ? DECODE_MS : LOOK_MS;
        return decoded(Seen, await ask({ ask: 'look', what, path: resolve(path) }, within_ms));
      }),
    draw: async (job) => {
      if (folder === null) throw new Error('a raster process that only looks cannot draw');
      const of_render = { assets: Object.fromEntries(paths), faces: Object.fromEntries(names), folder };
      const font_files = Object.fromEntries(
        own.map(({ name }) => [name, own.filter((face) => face.name === name).map(({ file }) => file)]),
      );
      const request: RasterJob = { ask: 'draw', ...job, ...of_render, font_files };
      const answer = await twice(async () => {
        const said = decoded(RasterAnswer, await ask(request, LONGEST_MS));
        if (E.isLeft(said)) return said;
        return said.right.tag === 'composition'
          ? E.left(compositionFault(said.right.code, said.right.message, said.right.field))
          : await drawnFiles(said.right, job, folder);
      });
      return E.isLeft(answer) ? E.left(finallyDied(answer.left, 'a picture or a text of the composition')) : answer;
    },
    close: async () => {
      closed = true;
      // It may still be at work for somebody who has given up.
      await process?.close();
      await last;
      await process?.close();
    },
  };
};
