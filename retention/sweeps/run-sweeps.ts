import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { HeldLease } from '../lease/lease.ts';
import type { OpenErasure } from './open-erasures.ts';
import {
  type BlobKind,
  msUntilNextPass,
  progressAfterPage,
  restartPass,
  type SweepPageResult,
  type SweepProgress,
} from './progress.ts';

export type SweepName =
  | 'segments'
  | 'renders'
  | 'users'
  | 'deliveries'
  | 'project_files'
  | 'stored_files'
  | 'erased_lately'
  | 'erased_projects'
  | 'users_erased_lately'
  | 'erased_users'
  | 'accounts_erased_lately'
  | 'erased_accounts'
  | 'left_renders'
  | 'left_catalogue'
  | 'ignored_seals'
  | 'unpunctured_seals'
  | 'key_trees'
  | 'uploads'
  | 'upload_leftovers';

export type SweepsProgress = { readonly [N in SweepName]?: SweepProgress } & {
  readonly open?: SweepProgress & { readonly erasures: { readonly [K in BlobKind]?: readonly OpenErasure[] } };
};

/** Works page by page, so that another process can continue a pass. */
export type Sweep = {
  readonly name: SweepName;
  readonly every_ms: number;
  /**
   * Handles one page, starting at `from` (null: the first page). Rejects if part of the page failed; what was removed
   * stays removed.
   */
  readonly page: (from: string | null, signal: AbortSignal) => Promise<SweepPageResult>;
};

export type SweepDependencies = {
  readonly onPage: (page: SweepPageResult) => void;
  readonly logger: Logger;
  readonly clock: Clock;
};

/** Sweeps with shorter intervals log only passes that removed something. */
const OFTEN_MS = 60_000;
const AGAIN_MS = 60_000;
/** After this many failures the pass restarts, because a position that the store does not know would always fail. */
const MAX_FAILURES = 10;

type SweepRun = {
  /**
   * Handles the next page.
   *
   * @returns ms to wait: as long as the page took, so that a pass takes at most half of the store's time
   */
  readonly page: () => Promise<number>;
  /** `failures` counts failed pages in a row. */
  readonly failed: (error: unknown, failures: number) => Promise<void>;
  readonly progress: () => SweepProgress | undefined;
};

const openRun = (
  { name, every_ms, page }: Sweep,
  { signal, progress, save }: HeldLease<SweepsProgress>,
  { onPage, logger, clock }: SweepDependencies,
): SweepRun => {
  const saveOwn = (own: SweepProgress): Promise<void> => save((all) => ({ ...all, [name]: own }));
  return {
    progress: () => progress()?.[name],
    page: async () => {
      const before = progress()?.[name];
      const [began_at, began] = [clock.now(), clock.monotonic()];
      const swept = await page(before?.pass?.next ?? null, signal);
      onPage(swept);
      const after = progressAfterPage(before, swept, began_at, clock.now());
      await saveOwn(after);
      if (after.pass !== null) return clock.monotonic() - began;
      const has_removed = Object.keys(after.last?.removed ?? {}).length > 0;
      logger[has_removed || every_ms > OFTEN_MS ? 'info' : 'debug']({ sweep: name, ...after.last }, 'sweep ended');
      return msUntilNextPass(after, every_ms, clock.now());
    },
    failed: async (error, failures) => {
      // One failure is normal at the start, because projectors have not reported their positions yet.
      const level = failures === 1 ? 'info' : 'warn';
      logger[level]({ error, sweep: name, failures }, 'part of a page could not be swept; trying again');
      if (failures % MAX_FAILURES === 0) await saveOwn(restartPass(progress()?.[name])).catch(() => undefined);
    },
  };
};

const runSweep = async (sweep: Sweep, lease: HeldLease<SweepsProgress>, parts: SweepDependencies): Promise<void> => {
  const { signal } = lease;
  const { clock } = parts;
  const run = openRun(sweep, lease, parts);
  let failures = 0;
  let pause_ms = msUntilNextPass(run.progress(), sweep.every_ms, clock.now());
  for (;;) {
    await clock.sleep(pause_ms, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      pause_ms = await run.page();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      await run.failed(error, failures);
      pause_ms = AGAIN_MS;
    }
  }
};

export const runSweeps = async (
  sweeps: readonly Sweep[],
  lease: HeldLease<SweepsProgress>,
  parts: SweepDependencies,
): Promise<void> => {
  await Promise.all(sweeps.map((sweep) => runSweep(sweep, lease, parts)));
};

/** Runs a pass until it ends or a page fails. The next holder of the lease then continues it. */
export type PassRunner = (lease: HeldLease<SweepsProgress>) => Promise<void>;

export const createPassRunner = (sweep: Sweep, parts: SweepDependencies): PassRunner => {
  let failures = 0;
  return async (lease) => {
    const run = openRun(sweep, lease, parts);
    for (;;)
      try {
        const pause_ms = await run.page();
        failures = 0;
        if (run.progress()?.pass === null) return;
        await parts.clock.sleep(pause_ms, lease.signal);
      } catch (error) {
        if (lease.signal.aborted) return;
        failures += 1;
        await run.failed(error, failures);
        return;
      }
  };
};
