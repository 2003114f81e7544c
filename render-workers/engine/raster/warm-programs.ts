import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import {
  type KeptProgram,
  openRasterProcess,
  type RasterProcess,
  type RasterProcessOptions,
} from './raster-process.ts';

/** Opens the raster process of one frame, whose files lie in the lease's folder. */
export type OpenRasters = (
  of: Pick<RasterProcessOptions, 'assets' | 'families'>,
  limits: () => ProcessLimits,
) => RasterProcess;

/** A program of one account, for one frame at a time. */
export type Lease = {
  /** For the files of the frame. Those of frames before are still there. */
  readonly files: string;
  readonly open: OpenRasters;
  /** After the raster process is closed. */
  readonly release: () => Promise<void>;
};

export type WarmPrograms = {
  /**
   * A program that has served nobody but this account, with these fonts: one that is idle, or a new one.
   *
   * @param fonts names what the program reads at its start: the same text, the same fonts
   */
  readonly lease: (account_id: string, fonts: string) => Promise<Lease>;
  readonly idle: () => number;
  readonly close: () => Promise<void>;
};

export type WarmLimits = {
  /** Programs that wait for the next frame; each holds some 100 MB of memory. */
  readonly most_idle: number;
  readonly idle_ms: number;
  /** What its account may have left in it ends with it. */
  readonly most_frames: number;
  readonly life_ms: number;
};

export const WARM_LIMITS: WarmLimits = { most_idle: 4, idle_ms: 60_000, most_frames: 100, life_ms: 300_000 };

/** Beyond its life, the longest time that a frame may take. */
const LAST_FRAME_MS = 120_000;

type Warm = {
  readonly key: string;
  readonly folder: string;
  readonly files: string;
  readonly drawn: string;
  readonly kept: KeptProgram;
  readonly since_ms: number;
  frames: number;
  expiry: NodeJS.Timeout | null;
};

/**
 * Keeps raster programs running between the frames of an account: to start one, with its fonts, takes half of the time of
 * a frame. Each serves one account alone and is then ended, with its files.
 *
 * @param work_dir for a folder of each program
 */
export const openWarmPrograms = (work_dir: string, sandbox: Sandbox, limits = WARM_LIMITS): WarmPrograms => {
  const life = new AbortController();
  /** The least recently used first. */
  const idle = new Set<Warm>();
  const leased = new Set<Warm>();
  const ending = new Set<Promise<void>>();

  const start = async (key: string): Promise<Warm> => {
    const folder = await mkdtemp(join(work_dir, 'raster-'));
    const [files, drawn] = [join(folder, 'files'), join(folder, 'drawn')];
    for (const made of [files, drawn]) await mkdir(made, { mode: 0o755 });
    const budget_ms = limits.life_ms + LAST_FRAME_MS;
    const kept = { running: null, reads: [files], limits: () => ({ signal: life.signal, budget_ms, sandbox }) };
    return { ...{ key, folder, files, drawn, kept, frames: 0, expiry: null }, since_ms: performance.now() };
  };
  const end = (warm: Warm): void => {
    idle.delete(warm);
    if (warm.expiry !== null) clearTimeout(warm.expiry);
    const ended = (async () => {
      await warm.kept.running?.close();
      await rm(warm.folder, { recursive: true, force: true, maxRetries: 5 });
    })();
    ending.add(ended);
    // Its folder is removed with the folder around it then.
    ended.catch(() => undefined).finally(() => ending.delete(ended));
  };
  const isSpent = ({ kept, frames, since_ms }: Warm): boolean =>
    life.signal.aborted ||
    kept.running === null ||
    kept.running.isOver() ||
    frames >= limits.most_frames ||
    performance.now() - since_ms >= limits.life_ms;
  const takeIdle = (key: string): Warm | null => {
    for (const warm of [...idle].reverse()) {
      if (warm.key !== key) continue;
      if (isSpent(warm)) {
        end(warm);
        continue;
      }
      idle.delete(warm);
      if (warm.expiry !== null) clearTimeout(warm.expiry);
      return warm;
    }
    return null;
  };
  const giveBack = async (warm: Warm): Promise<void> => {
    leased.delete(warm);
    warm.frames += 1;
    for (const name of await readdir(warm.drawn))
      if (name.endsWith('.rgba')) await rm(join(warm.drawn, name), { force: true });
    if (isSpent(warm)) return end(warm);
    warm.expiry = setTimeout(() => end(warm), limits.idle_ms).unref();
    idle.add(warm);
    const [oldest] = idle;
    if (oldest !== undefined && idle.size > limits.most_idle) end(oldest);
  };

  return {
    lease: async (account_id, fonts) => {
      const key = JSON.stringify([account_id, fonts]);
      const warm = takeIdle(key) ?? (await start(key));
      leased.add(warm);
      return {
        files: warm.files,
        open: (of, of_frame) => openRasterProcess({ ...of, folder: warm.drawn }, of_frame, warm.kept),
        release: () => giveBack(warm),
      };
    },
    idle: () => idle.size,
    close: async () => {
      life.abort();
      for (const warm of [...idle, ...leased]) end(warm);
      await Promise.allSettled(ending);
    },
  };
};
