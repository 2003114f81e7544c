/**
 * True for errors that a bug causes, so that a retry would fail again. Node's own errors of files and connections are
 * not among them.
 */
export const isProgrammingError = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof RangeError ||
  error instanceof ReferenceError ||
  error instanceof SyntaxError;
