import type { Logger } from '../logging/logger.ts';
import { sparingWarnings } from '../logging/sparing-warnings.ts';
import type { Clock } from '../process/clock.ts';
import { isProgrammingError } from '../process/programming-error.ts';
import { retry } from '../process/retry.ts';

/**
 * Asks the store until it answers, without a limit: for work that cannot go on without it. Rejects once the signal
 * aborts, and where the code fails.
 *
 * @param message a warning, of each question that fails, said sparingly
 */
export const untilAnswered = (logger: Logger, clock: Clock, message: string) => {
  const warn = sparingWarnings(logger);
  return async <T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    const answer = await retry(ask, {
      ...{ clock, signal, isTransient: (error) => !isProgrammingError(error) },
      onFailure: (error) => warn({ error }, message),
    });
    signal.throwIfAborted();
    return answer;
  };
};
