/** A retry of a bug fails again. Node's own errors of files and connections do not count. */
export const isProgrammingError = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof RangeError ||
  error instanceof ReferenceError ||
  error instanceof SyntaxError;
