const READ_TIMEOUT_MS = 5_000;

/**
 * The option of a read that a request waits for: it is given up, and its connection with it, when the server holds the
 * connection open and says nothing. The driver's own `timeoutMS` does nothing as of version 7.8.
 */
export const queryTimeout = (timeout_ms: number = READ_TIMEOUT_MS): { readonly signal: AbortSignal } => ({
  signal: AbortSignal.timeout(timeout_ms),
});

/** What such a read rejects with. */
export const isQueryTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError';
