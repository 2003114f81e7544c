import type { Logger } from '../logging/logger.ts';
import { throttledWarn } from '../logging/throttled-warn.ts';
import type { Clock } from '../process/clock.ts';
import { isProgrammingError } from '../process/programming-error.ts';
import { retry } from '../process/retry.ts';

/** Retries without a limit, with throttled warnings. Rejects when the signal aborts, and on a bug. */
export const retryUntilAnswered = (logger: Logger, clock: Clock, message: string) => {
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
