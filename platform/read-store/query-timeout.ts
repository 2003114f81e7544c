const READ_TIMEOUT_MS = 5_000;

/**
 * Options for a read that a request waits for. If the server keeps the connection open without answering, the signal
 * aborts the read. The `timeoutMS` of the driver has no effect as of version 7.8.
 */
export const queryTimeout = (timeout_ms: number = READ_TIMEOUT_MS): { readonly signal: AbortSignal } => ({
  signal: AbortSignal.timeout(timeout_ms),
});

export const isQueryTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError';
