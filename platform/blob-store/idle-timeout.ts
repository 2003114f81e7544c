/** Passed to a request to a server. */
export type WatchedRequest = {
  /** Aborts when the caller's signal aborts, after the idle limit, and when the request has failed. */
  readonly abortSignal: AbortSignal;
  /** Call for bytes that were sent or received. */
  readonly moved: () => void;
};

/**
 * Runs a request, and aborts it after this time without traffic. A server that stalls within a body reports no error,
 * and its client would wait without a limit. Rejects with the request's error, or with the idle timeout.
 */
export const withIdleTimeout = async <A>(
  limit_ms: number,
  given_up: AbortSignal | undefined,
  request: (watched: WatchedRequest) => Promise<A>,
): Promise<A> => {
  given_up?.throwIfAborted();
  const own = new AbortController();
  const giveUp = (): void => own.abort();
  given_up?.addEventListener('abort', giveUp, { once: true });
  let idle = false;
  const timer = setTimeout(() => {
    idle = true;
    own.abort();
  }, limit_ms);
  try {
    return await request({ abortSignal: own.signal, moved: () => void timer.refresh() });
  } catch (error) {
    // Also ends the rest of the request, such as other blocks of a file.
    own.abort();
    throw idle ? new Error(`nothing was sent or received for ${limit_ms / 1_000} s`, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    given_up?.removeEventListener('abort', giveUp);
  }
};
