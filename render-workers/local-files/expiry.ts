import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { repeatedly } from '../../platform/process/repeatedly.ts';

/** How long a process may keep a copy of what an account has in Blob: after that, what was erased there is gone here. */
export const LOCAL_AGE_MS = 24 * 3_600_000;

const LOOK_EVERY_MS = 600_000;

/** @param expire is given the monotonic time before which what was kept has to go */
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
