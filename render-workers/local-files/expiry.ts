import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { repeatedly } from '../../platform/process/repeatedly.ts';

/**
 * How long a process may keep a local copy of an account's blob. Data that is erased in Blob Storage is gone here after
 * this.
 */
export const LOCAL_AGE_MS = 24 * 3_600_000;

const LOOK_EVERY_MS = 600_000;

/** @param expire removes copies that are older than the given monotonic time, ms */
export const expireLocalCopies = (
  expire: (before: number) => Promise<void>,
  logger: Logger,
  clock: Clock,
): { readonly stop: () => Promise<void> } =>
  repeatedly(
    clock,
    LOOK_EVERY_MS,
    () => expire(clock.monotonic() - LOCAL_AGE_MS),
    (error) => logger.warn({ error }, 'local copies that are too old could not be removed'),
  );
