import type { Logger } from '../logging/logger.ts';
import { throttledWarn } from '../logging/throttled-warn.ts';
import type { Clock } from '../process/clock.ts';
import { isProgrammingError } from '../process/programming-error.ts';
import { retry } from '../process/retry.ts';

/**
 * Retries a query without a limit until the store answers, for work that needs the result. Rejects when the signal
 * aborts, and on a bug.
 * @param message warning for a failed query; throttled
 */
export const untilAnswered = (logger: Logger, clock: Clock, message: string) => {
  const warn = throttledWarn(logger);
  return async <T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    const answer = await retry(ask, {
      ...{ clock, signal, isTransient: (error) => !isProgrammingError(error) },
      onFailure: (error) => warn({ error }, message),
    });
    signal.throwIfAborted();
    return answer;
  };
};
