const READ_TIMEOUT_MS = 5_000;

/**
 * A request waits for such a read. If the server keeps the connection open without answering, the signal aborts the
 * read. The driver's own `timeoutMS` has no effect as of version 7.8.
 */
export const queryTimeout = (timeout_ms: number = READ_TIMEOUT_MS): { readonly signal: AbortSignal } => ({
  signal: AbortSignal.timeout(timeout_ms),
});

export const isQueryTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError';
