import { constants, lstat, mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { openSourceFrames, type SourceFrames } from '../cache/source-frames.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import { type KeptRasters, openKeptRasters } from './kept-rasters.ts';
import {
  openRasterProcess,
  type RasterProcess,
  type RasterProcessOptions,
  type ReusableProgram,
} from './raster-process.ts';
import { MAX_TIMER_MS } from './raster-program.ts';

export type OpenRasters = (
  of: Pick<RasterProcessOptions, 'assets' | 'families'>,
  limits: () => ProcessLimits,
) => RasterProcess;

export type ProgramLease = {
  /** Folder for the frame's files. It still contains files of earlier frames. */
  readonly files: string;
  readonly open: OpenRasters;
  /** Decoded frames of the account's earlier stills and renders. The program cannot read them. */
  readonly frames: SourceFrames;
  /** Rasters of the account's earlier stills, which the program cannot change. */
  readonly rasters: KeptRasters;
  /** Call it after closing the raster process. Without success, the program is stopped. */
  readonly release: (succeeded: boolean) => Promise<void>;
};

export type WarmPrograms = {
  /** @param fonts identifies the fonts that the program reads at its start: equal texts mean equal fonts */
  readonly lease: (account_id: string, fonts: string) => Promise<ProgramLease>;
  readonly idle: () => number;
  readonly close: () => Promise<void>;
};

export type WarmLimits = {
  /** Maximum number of programs that wait for the next frame. Each uses about 100 MB of memory. */
  readonly max_idle: number;
  readonly idle_ms: number;
  /** Bounds how long a compromised program of an account can live. */
  readonly max_frames: number;
  readonly life_ms: number;
  readonly max_bytes: number;
  /** Bytes of the program's decoded frames, and the same again for frames being written. */
  readonly max_frame_bytes: number;
};

export const WARM_LIMITS: WarmLimits = {
  ...{ max_idle: 4, idle_ms: 60_000, max_frames: 100, life_ms: 300_000 },
  ...{ max_bytes: 2 ** 30, max_frame_bytes: 2 ** 27 },
};
/**
 * Divides the space for decoded frames among the slots: all programs together keep 23 s of 1080p, whatever the number
 * of slots.
 */
export const warmLimitsForSlots = (slots: number): WarmLimits => ({
  ...WARM_LIMITS,
  ...{ max_idle: slots, max_frame_bytes: 2 ** 31 / slots },
});

/**
 * Truncates the file instead of removing it: a removed file that the program still has open would not count in the
 * folder's size. Rejects for anything but a regular file: a link would lead to another file, and a pipe would hang.
 */
const truncateDrawing = async (file: string): Promise<void> => {
  const opened = await open(file, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await opened.stat();
    if (!found.isFile() || found.nlink !== 1) throw new Error('the raster process replaced the file');
    await opened.truncate(0);
  } finally {
    await opened.close();
  }
};

const bytesIn = async (folder: string): Promise<number> => {
  let bytes = 0;
  for (const name of await readdir(folder)) bytes += (await lstat(join(folder, name))).size;
  return bytes;
};

type WarmProgram = {
  readonly account_id: string;
  readonly key: string;
  readonly folder: string;
  readonly files: string;
  readonly drawn: string;
  readonly source_frames: ReturnType<typeof openSourceFrames>;
  readonly rasters: KeptRasters;
  readonly program: ReusableProgram;
  readonly since_ms: number;
  frames: number;
  expiry: NodeJS.Timeout | null;
};

/**
 * Chooses from the account with the most programs, so that an account with many fonts evicts its own.
 * @param idle least recently used first
 */
const evictionCandidate = (idle: ReadonlySet<WarmProgram>): WarmProgram | undefined => {
  const counts = new Map<string, number>();
  for (const { account_id } of idle) counts.set(account_id, (counts.get(account_id) ?? 0) + 1);
  const max = Math.max(...counts.values());
  return [...idle].find(({ account_id }) => counts.get(account_id) === max);
};

/**
 * Starting a program with its fonts takes half the time of a frame, so programs keep running. Each serves one account.
 */
export const openWarmPrograms = (work_dir: string, sandbox: Sandbox, limits = WARM_LIMITS): WarmPrograms => {
  const life = new AbortController();
  const idle = new Set<WarmProgram>();
  const leased = new Set<WarmProgram>();
  const stops = new Set<Promise<void>>();

  const start = async (account_id: string, key: string): Promise<WarmProgram> => {
    const folder = await mkdtemp(join(work_dir, 'raster-'));
    const [files, drawn, frames] = [join(folder, 'files'), join(folder, 'drawn'), join(folder, 'frames')];
    for (const created of [files, drawn, frames]) await mkdir(created, { mode: 0o755 });
    const source_frames = openSourceFrames(frames, limits.max_frame_bytes);
    // The program's life has no budget, because each frame and render has its own.
    const of_program = { signal: life.signal, budget_ms: MAX_TIMER_MS, sandbox };
    const program = { running: null, reads: [files], limits: () => of_program };
    return {
      ...{ account_id, key, folder, files, drawn, source_frames, program, frames: 0, expiry: null },
      rasters: openKeptRasters(source_frames),
      since_ms: performance.now(),
    };
  };
  const stop = (warm: WarmProgram): void => {
    idle.delete(warm);
    if (warm.expiry !== null) clearTimeout(warm.expiry);
    const stopped = (async () => {
      await warm.program.running?.close();
      await rm(warm.folder, { recursive: true, force: true, maxRetries: 5 });
    })();
    stops.add(stopped);
    // A failed removal is ignored, because the work folder that contains this folder is removed later.
    stopped.catch(() => undefined).finally(() => stops.delete(stopped));
  };
  const isExpired = ({ program, frames, since_ms }: WarmProgram): boolean =>
    life.signal.aborted ||
    program.running === null ||
    program.running.isOver() ||
    frames >= limits.max_frames ||
    performance.now() - since_ms >= limits.life_ms;
  const takeIdle = (key: string): WarmProgram | null => {
    for (const warm of [...idle].reverse()) {
      if (warm.key !== key) continue;
      if (isExpired(warm)) {
        stop(warm);
        continue;
      }
      idle.delete(warm);
      if (warm.expiry !== null) clearTimeout(warm.expiry);
      return warm;
    }
    return null;
  };
  const isReusable = async (warm: WarmProgram): Promise<boolean> => {
    if (isExpired(warm)) return false;
    try {
      for (const name of await readdir(warm.drawn))
        if (name.endsWith('.rgba')) await truncateDrawing(join(warm.drawn, name));
      return (await bytesIn(warm.files)) <= limits.max_bytes;
    } catch {
      return false;
    }
  };
  const returnProgram = async (warm: WarmProgram, succeeded: boolean): Promise<void> => {
    warm.frames += 1;
    const reusable = succeeded && (await isReusable(warm));
    leased.delete(warm);
    if (!reusable || isExpired(warm)) return stop(warm);
    warm.expiry = setTimeout(() => stop(warm), limits.idle_ms).unref();
    idle.add(warm);
    const oldest = idle.size > limits.max_idle ? evictionCandidate(idle) : undefined;
    if (oldest !== undefined) stop(oldest);
  };

  return {
    lease: async (account_id, fonts) => {
      const key = JSON.stringify([account_id, fonts]);
      const warm = takeIdle(key) ?? (await start(account_id, key));
      leased.add(warm);
      warm.source_frames.begin();
      return {
        files: warm.files,
        frames: warm.source_frames,
        rasters: warm.rasters,
        open: (of, of_frame) => openRasterProcess({ ...of, folder: warm.drawn }, of_frame, warm.program),
        release: (succeeded) => returnProgram(warm, succeeded),
      };
    },
    idle: () => idle.size,
    close: async () => {
      life.abort();
      for (const warm of [...idle, ...leased]) stop(warm);
      await Promise.allSettled(stops);
    },
  };
};
