import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { runRepeatedly } from '../../platform/process/repeatedly.ts';

/** Local copies of an account's blobs are removed after this time, so that erased data does not remain here. */
export const MAX_LOCAL_AGE_MS = 24 * 3_600_000;

const LOOK_EVERY_MS = 600_000;

/** @param expire removes copies that were fetched before this time (monotonic ms) */
export const expireLocalCopies = (
  expire: (before: number) => Promise<void>,
  logger: Logger,
  clock: Clock,
): { readonly stop: () => Promise<void> } =>
  runRepeatedly(
    clock,
    LOOK_EVERY_MS,
    () => expire(clock.monotonic() - MAX_LOCAL_AGE_MS),
    (error) => logger.warn({ error }, 'local copies that are too old could not be removed'),
  );
