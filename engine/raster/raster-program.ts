import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { ProcessBounds } from '../../platform/sandbox/sandbox.ts';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import {
  type Finished,
  lastLine,
  type OpenProgram,
  type ProcessLimits,
  type ProgramRun,
  runProcess,
} from '../process/run-process.ts';
import { type OwnFace, writeFontsConf } from './fonts.ts';
import { type ProgramCaches, programCaches } from './program-caches.ts';

/** Of a timer. */
export const LONGEST_MS = 2 ** 31 - 1;

/** The answer to a request, or the fault that prevented it. */
export type Line = E.Either<EngineFault, string>;

/** JSON without the two characters that JSON leaves as they are and readers of lines take for the ends of lines. */
const oneLine = (request: unknown): string =>
  JSON.stringify(request).replace(/[\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);

/** The program of the raster process, running in the sandbox. */
export type RasterProgram = {
  /** Sends one line, and resolves to the line that answers it. */
  readonly ask: (request: unknown, within_ms: number) => Promise<Line>;
  readonly isOver: () => boolean;
  /** CPU time so far; once it is over, of the whole. */
  readonly cpuMs: () => number;
  /** Kills it; resolves when it has ended. */
  readonly close: () => Promise<void>;
};

const started = (program: ProgramRun, limits: ProcessLimits): RasterProgram => {
  const life = new AbortController();
  let late_after_ms: number | null = null;
  const waiting: ((line: Line) => void)[] = [];
  let input: OpenProgram | null = null;
  let whole_ms: number | null = null;
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
    {
      ...limits,
      signal: AbortSignal.any([limits.signal, life.signal]),
      on_cpu: (cpu_ms) => {
        whole_ms = cpu_ms;
        limits.on_cpu?.(cpu_ms);
      },
    },
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
    cpuMs: () => whole_ms ?? input?.cpuMs() ?? 0,
    close: async () => {
      input?.end();
      life.abort();
      await ended;
    },
  };
};

const environment = async (
  folder: string | null,
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

/** What the program may read and write from its start to its end. */
export type RasterSpace = {
  /** The project's fonts. */
  readonly own: readonly OwnFace[];
  /** Files, and folders with what will be in them. */
  readonly reads: readonly string[];
  /** Made for the drawn files; null if nothing will be drawn. */
  readonly folder: string | null;
  readonly bounds: ProcessBounds;
};

export const startRasterProgram = async (
  { own, reads, folder, bounds }: RasterSpace,
  limits: ProcessLimits,
): Promise<RasterProgram> => {
  const caches = await programCaches(limits.sandbox);
  const env = await environment(folder, own, caches);
  const program = {
    ...{ program: caches.files.node, args: [caches.program], env, bounds },
    reads: [...caches.files.reads, ...caches.reads, ...reads],
  };
  return started(folder === null ? program : { ...program, writes: folder }, limits);
};
