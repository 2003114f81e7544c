export type WatchedRequest = {
  /** Aborts when the caller's signal aborts, after the idle timeout, and when the request has failed. */
  readonly abortSignal: AbortSignal;
  /** Call for each chunk that is sent or received. */
  readonly reportProgress: () => void;
};

/**
 * Aborts the request after `limit_ms` without traffic. Without this timer, a server that stalls within a body causes no
 * error.
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
    return await request({ abortSignal: own.signal, reportProgress: () => void timer.refresh() });
  } catch (error) {
    // Also aborts what is left of the request, such as other blocks of a file.
    own.abort();
    throw idle ? new Error(`nothing was sent or received for ${limit_ms / 1_000} s`, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    given_up?.removeEventListener('abort', giveUp);
  }
};
