import { setTimeout as wait } from 'node:timers/promises';

/** Pauses before the second, third and fourth attempt. */
export const TRANSIENT_PAUSES_MS: readonly number[] = [1_000, 5_000, 25_000];

/**
 * Retries after a transient fault, once for each pause; then rejects with the last fault. `signal` interrupts a pause and
 * rejects with the fault before it.
 */
export const retried = async <A>(
  work: () => Promise<A>,
  isTransient: (fault: unknown) => boolean,
  signal: AbortSignal,
  pauses_ms: readonly number[] = TRANSIENT_PAUSES_MS,
): Promise<A> => {
  for (const pause_ms of pauses_ms) {
    try {
      return await work();
    } catch (fault) {
      if (signal.aborted || !isTransient(fault)) throw fault;
      try {
        await wait(pause_ms, undefined, { signal });
      } catch {
        throw fault;
      }
    }
  }
  return await work();
};
