import { constants, lstat, mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { openSourceFrames, type SourceFrames } from '../cache/source-frames.ts';
import type { ProcessLimits } from '../process/run-process.ts';
import {
  type KeptProgram,
  openRasterProcess,
  type RasterProcess,
  type RasterProcessOptions,
} from './raster-process.ts';
import { LONGEST_MS } from './raster-program.ts';

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
  /** Of its account's stills and renders before. The program does not see them. */
  readonly frames: SourceFrames;
  /** After the raster process is closed. @param well whether the frame was drawn: else its program ends with it */
  readonly release: (well: boolean) => Promise<void>;
};

export type WarmPrograms = {
  /**
   * Leases a program of this account with these fonts: an idle one, or a new one.
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
  /** Of its account's files, which the disk holds for it. */
  readonly most_bytes: number;
  /** Of decoded frames that are kept, and once more of those that are being written. */
  readonly most_frame_bytes: number;
};

export const WARM_LIMITS: WarmLimits = {
  ...{ most_idle: 4, idle_ms: 60_000, most_frames: 100, life_ms: 300_000 },
  ...{ most_bytes: 2 ** 30, most_frame_bytes: 2 ** 27 },
};
/** For renders, so many at a time: 23 s of 1080p, whatever their number. */
export const renderLimits = (slots: number): WarmLimits => ({
  ...WARM_LIMITS,
  ...{ most_idle: slots, most_frame_bytes: 2 ** 31 / slots },
});

/**
 * Empties a file that the program has drawn, and keeps its name: the watch of the folder does not see an open file that has
 * no name. Rejects for anything but a regular file: a link would lead elsewhere, and a pipe would hang.
 */
const emptied = async (file: string): Promise<void> => {
  const opened = await open(file, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await opened.stat();
    if (!found.isFile() || found.nlink !== 1) throw new Error('the raster process has put something else there');
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

type Warm = {
  readonly account_id: string;
  readonly key: string;
  readonly folder: string;
  readonly files: string;
  readonly drawn: string;
  readonly source_frames: ReturnType<typeof openSourceFrames>;
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

  const start = async (account_id: string, key: string): Promise<Warm> => {
    const folder = await mkdtemp(join(work_dir, 'raster-'));
    const [files, drawn, frames] = [join(folder, 'files'), join(folder, 'drawn'), join(folder, 'frames')];
    for (const made of [files, drawn, frames]) await mkdir(made, { mode: 0o755 });
    const source_frames = openSourceFrames(frames, limits.most_frame_bytes);
    // Each of its frames and renders has a budget of its own, and it may be at the last one when its life is over.
    const of_program = { signal: life.signal, budget_ms: LONGEST_MS, sandbox };
    const kept = { running: null, reads: [files], limits: () => of_program };
    return {
      ...{ account_id, key, folder, files, drawn, source_frames, kept, frames: 0, expiry: null },
      since_ms: performance.now(),
    };
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
  /** Whether it can draw another frame. */
  const isFit = async (warm: Warm): Promise<boolean> => {
    if (isSpent(warm)) return false;
    try {
      for (const name of await readdir(warm.drawn)) if (name.endsWith('.rgba')) await emptied(join(warm.drawn, name));
      return (await bytesIn(warm.files)) <= limits.most_bytes;
    } catch {
      return false;
    }
  };
  /** Of the account that has most of them, so that one with many fonts ends its own. */
  const oldestOfMost = (): Warm | undefined => {
    const counts = new Map<string, number>();
    for (const { account_id } of idle) counts.set(account_id, (counts.get(account_id) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return [...idle].find(({ account_id }) => counts.get(account_id) === most);
  };
  const giveBack = async (warm: Warm, well: boolean): Promise<void> => {
    warm.frames += 1;
    const fit = well && (await isFit(warm));
    leased.delete(warm);
    if (!fit || isSpent(warm)) return end(warm);
    warm.expiry = setTimeout(() => end(warm), limits.idle_ms).unref();
    idle.add(warm);
    const oldest = idle.size > limits.most_idle ? oldestOfMost() : undefined;
    if (oldest !== undefined) end(oldest);
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
        open: (of, of_frame) => openRasterProcess({ ...of, folder: warm.drawn }, of_frame, warm.kept),
        release: (well) => giveBack(warm, well),
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
