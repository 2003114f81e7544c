/** What a request to a server is given. */
export type WatchedRequest = {
  /** Aborts when the caller gives up, when nothing has moved for too long, and when the request has failed. */
  readonly abortSignal: AbortSignal;
  /** Call for bytes that were sent or received. */
  readonly moved: () => void;
};

/**
 * Runs a request, and gives it up once nothing has moved for so long: a server that stalls in mid-body says nothing, and
 * its client waits for ever. Rejects with the request's error, whoever gave it up.
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
    // What is left of the request ends, too: other blocks of a file, say.
    own.abort();
    throw idle ? new Error(`nothing was sent or received for ${limit_ms / 1_000} s`, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    given_up?.removeEventListener('abort', giveUp);
  }
};
