import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { ProcessBounds } from '../../platform/sandbox/sandbox.ts';
import { type EngineFault, infrastructureFault } from '../process/engine-fault.ts';
import {
  lastLine,
  type ProcessLimits,
  type ProcessResult,
  type ProgramRunOptions,
  type RunningProgram,
  runProcess,
} from '../process/run-process.ts';
import { type ProjectFontFile, writeFontsConf } from './fonts.ts';
import { type ProgramCaches, programCaches } from './program-caches.ts';

/** The longest timer of Node. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export type ProgramAnswer = E.Either<EngineFault, string>;

/** JSON allows these two characters in strings, but line readers treat them as line ends. */
const oneLine = (request: unknown): string =>
  JSON.stringify(request).replace(/[\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);

export type RasterProgram = {
  readonly ask: (request: unknown, within_ms: number) => Promise<ProgramAnswer>;
  readonly isOver: () => boolean;
  readonly cpuMs: () => number;
  readonly close: () => Promise<void>;
};

const startProgram = (program: ProgramRunOptions, limits: ProcessLimits): RasterProgram => {
  const stop = new AbortController();
  let exceeded_ms: number | null = null;
  const pending: ((line: ProgramAnswer) => void)[] = [];
  let input: RunningProgram | null = null;
  let total_ms: number | null = null;
  let end_fault: ProgramAnswer | null = null;
  const faultOfEnd = (end: E.Either<EngineFault, ProcessResult>): ProgramAnswer =>
    exceeded_ms !== null
      ? E.left({ tag: 'decoder_died', message: `reading a file took more than ${exceeded_ms / 1000} s` })
      : E.isLeft(end)
        ? end
        : E.left(
            infrastructureFault(
              `the raster process failed: ${lastLine(end.right.stderr) || 'it ended without an answer'}`,
            ),
          );
  const queued: string[] = [];
  const end = runProcess(
    {
      ...program,
      on_open: (opened) => {
        input = opened;
        for (const text of queued) opened.write(text);
      },
      on_line: (line) => pending.shift()?.(E.right(line)),
    },
    {
      ...limits,
      signal: AbortSignal.any([limits.signal, stop.signal]),
      on_cpu: (cpu_ms) => {
        total_ms = cpu_ms;
        limits.on_cpu?.(cpu_ms);
      },
    },
  ).then((run) => {
    end_fault = faultOfEnd(run);
    for (const settle of pending.splice(0)) settle(end_fault);
  });
  return {
    ask: async (request: unknown, within_ms: number): Promise<ProgramAnswer> => {
      if (end_fault !== null) return end_fault;
      const { promise, resolve: settle } = Promise.withResolvers<ProgramAnswer>();
      pending.push(settle);
      const text = `${oneLine(request)}\n`;
      if (input === null) queued.push(text);
      else input.write(text);
      const timer = setTimeout(
        () => {
          exceeded_ms = within_ms;
          stop.abort();
        },
        Math.min(within_ms, MAX_TIMER_MS),
      );
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    },
    isOver: () => end_fault !== null,
    cpuMs: () => total_ms ?? input?.cpuMs() ?? 0,
    close: async () => {
      input?.end();
      stop.abort();
      await end;
    },
  };
};

const environment = async (
  folder: string | null,
  own: readonly ProjectFontFile[],
  caches: ProgramCaches,
): Promise<Readonly<Record<string, string>>> => {
  // The user's locale would otherwise decide between variants of some letters.
  const common = { ...caches.env, PANGO_LANGUAGE: 'en' };
  if (folder === null) return common;
  await mkdir(folder, { recursive: true });
  const fonts = await mkdtemp(join(folder, 'fonts-'));
  return {
    ...common,
    FONTCONFIG_FILE: await writeFontsConf(fonts, caches.fonts ?? join(folder, 'kept-fonts'), own, caches.faces),
  };
};

export type RasterFiles = {
  readonly own: readonly ProjectFontFile[];
  readonly reads: readonly string[];
  /** The folder is created for the drawn files; null if the program will not draw. */
  readonly folder: string | null;
  readonly bounds: ProcessBounds;
};

export const startRasterProgram = async (
  { own, reads, folder, bounds }: RasterFiles,
  limits: ProcessLimits,
): Promise<RasterProgram> => {
  const caches = await programCaches(limits.sandbox);
  const env = await environment(folder, own, caches);
  const program = {
    ...{ program: caches.files.node, args: [caches.program], env, bounds },
    reads: [...caches.files.reads, ...caches.reads, ...reads],
  };
  return startProgram(folder === null ? program : { ...program, writes: folder }, limits);
};
