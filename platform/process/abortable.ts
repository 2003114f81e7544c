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
