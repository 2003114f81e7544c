const READ_TIMEOUT_MS = 5_000;

/**
 * Option of a read for which a request waits. If the server keeps the connection open without answering, the read is
 * aborted with its connection. The driver's own `timeoutMS` has no effect as of version 7.8.
 */
export const queryTimeout = (timeout_ms: number = READ_TIMEOUT_MS): { readonly signal: AbortSignal } => ({
  signal: AbortSignal.timeout(timeout_ms),
});

/** Whether such a read timed out. */
export const isQueryTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError';
