import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Held } from '../lease/lease.ts';
import { afterPage, type SweepProgress, type SweptPage, untilNextPage } from './progress.ts';

export type SweepName = 'segments';

/** Of each sweep that was begun once. */
export type SweepsProgress = { readonly [N in SweepName]?: SweepProgress };

/** Removes what was kept long enough, page by page, so that a pass goes on where a process ended. */
export type Sweep = {
  readonly name: SweepName;
  /** From the end of a pass to the next, ms. */
  readonly every_ms: number;
  /** @param from null at the beginning. Rejects where it could not all be swept; removals until then stand. */
  readonly page: (from: string | null, signal: AbortSignal) => Promise<SweptPage>;
};

/** After a page that failed. */
const AGAIN_MS = 60_000;

const runSweep = async (
  { name, every_ms, page }: Sweep,
  { signal, progress, save }: Held<SweepsProgress>,
  onPage: (name: SweepName, page: SweptPage) => void,
  logger: Logger,
  clock: Clock,
): Promise<void> => {
  const next = async (): Promise<void> => {
    const before = progress()?.[name];
    const began_at = clock.now();
    const swept = await page(before?.pass?.next ?? null, signal);
    onPage(name, swept);
    const after = afterPage(before, swept, began_at, clock.now());
    await save((all) => ({ ...all, [name]: after }));
    if (after.pass === null) logger.info({ sweep: name, ...after.last }, 'a sweep has ended');
  };
  let pause_ms = untilNextPage(progress()?.[name], every_ms, clock.now());
  while (!signal.aborted) {
    await clock.sleep(pause_ms, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await next();
      pause_ms = untilNextPage(progress()?.[name], every_ms, clock.now());
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ error, sweep: name }, 'a page could not all be swept, and is swept again');
      pause_ms = AGAIN_MS;
    }
  }
};

/** Runs until the lease is lost, or the process is to stop. */
export const runSweeps = async (
  sweeps: readonly Sweep[],
  held: Held<SweepsProgress>,
  onPage: (name: SweepName, page: SweptPage) => void,
  logger: Logger,
  clock: Clock,
): Promise<void> => {
  await Promise.all(sweeps.map((sweep) => runSweep(sweep, held, onPage, logger, clock)));
};
