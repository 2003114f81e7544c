import type { Clock } from './clock.ts';
import { within } from './within.ts';

/**
 * The outcome of work that cannot be stopped itself; rejects as soon as it is given up, and leaves the work to end
 * unheard.
 */
export const abortable = async <A>(given_up: AbortSignal, work: Promise<A>): Promise<A> => {
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

/** Wait at most this long for work that was aborted. */
const ENDING_MS = 1_000;

/**
 * The same for work that the signal reaches: it is given a moment to end, so that what it leaves behind can be removed.
 * Work that does not end is left all the same.
 */
export const abortableWork = async <A>(
  given_up: AbortSignal,
  clock: Clock,
  work: (given_up: AbortSignal) => Promise<A>,
): Promise<A> => {
  given_up.throwIfAborted();
  const working = work(given_up);
  try {
    return await abortable(given_up, working);
  } catch (error) {
    const over = working.then(
      () => undefined,
      () => undefined,
    );
    await within(ENDING_MS, over, () => undefined, clock);
    // The work may hear of it first, and say it in its own words.
    given_up.throwIfAborted();
    throw error;
  }
};
