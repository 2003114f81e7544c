import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { runRepeatedly } from '../../platform/process/repeatedly.ts';

const EVERY_MS = 1_000;

/** The store lost data that the process created at its start. A restart creates it again. */
export class StoreLost extends Error {
  override readonly name = 'StoreLost';
}

/**
 * Checks the store every second. A check that throws `StoreLost` ends the process.
 *
 * @param warning logged if a check fails for another reason
 */
export const watchStore = (
  check: () => Promise<void>,
  warning: string,
  logger: Logger,
  clock: Clock,
): { readonly stop: () => Promise<void> } => {
  const warn = throttledWarn(logger);
  return runRepeatedly(clock, EVERY_MS, check, (error) => {
    if (error instanceof StoreLost) throw error;
    warn({ error }, warning);
  });
};
