import { setTimeout as wait } from 'node:timers/promises';

/** Pauses before the second, third and fourth try. */
export const TRANSIENT_PAUSES_MS: readonly number[] = [1_000, 5_000, 25_000];

/**
 * Does it again after a fault that may pass, at most once for each pause; then rejects with the last fault. A pause
 * that is interrupted by `signal` ends it with the fault before.
 */
export const retried = async <A>(
  work: () => Promise<A>,
  mayPass: (fault: unknown) => boolean,
  signal: AbortSignal,
  pauses_ms: readonly number[] = TRANSIENT_PAUSES_MS,
): Promise<A> => {
  for (const pause_ms of pauses_ms) {
    try {
      return await work();
    } catch (fault) {
      if (signal.aborted || !mayPass(fault)) throw fault;
      try {
        await wait(pause_ms, undefined, { signal });
      } catch {
        throw fault;
      }
    }
  }
  return await work();
};
