import type { Clock } from './clock.ts';
import { withTimeout } from './within.ts';

/** The work itself cannot be stopped. Rejects as soon as `given_up` aborts, and ignores the later outcome. */
export const rejectOnAbort = async <A>(given_up: AbortSignal, work: Promise<A>): Promise<A> => {
  given_up.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(given_up.reason);
  given_up.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    given_up.removeEventListener('abort', giveUp);
  }
};

const ENDING_MS = 1_000;

/** The work receives the signal and gets a moment to end, so that its leftovers can be removed. */
export const abortWithGracePeriod = async <A>(
  given_up: AbortSignal,
  clock: Clock,
  work: (given_up: AbortSignal) => Promise<A>,
): Promise<A> => {
  given_up.throwIfAborted();
  const working = work(given_up);
  try {
    return await rejectOnAbort(given_up, working);
  } catch (error) {
    const over = working.then(
      () => undefined,
      () => undefined,
    );
    await withTimeout(ENDING_MS, over, () => undefined, clock);
    // Rejects with the reason of `given_up`, even if the work reacted first and rejected with its own error.
    given_up.throwIfAborted();
    throw error;
  }
};
