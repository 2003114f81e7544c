import type { Logger } from '../../platform/logging/logger.ts';
import { backOff, NEVER } from '../../platform/process/back-off.ts';
import type { Clock } from '../../platform/process/clock.ts';

/** At a start everything may still be on its way up: readiness says what is missing, and the start goes on. */
export const retry = async <A>(
  what: string,
  { logger, clock }: { readonly logger: Logger; readonly clock: Clock },
  work: () => Promise<A>,
): Promise<A> => {
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      logger.warn({ error }, `waiting for ${what}`);
      await backOff(failures, NEVER, clock);
    }
  }
};
