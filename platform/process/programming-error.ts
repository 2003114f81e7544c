/**
 * A mistake in the code, or data that it cannot read: however often it is tried, it fails again. Node's own errors, of
 * files and connections, are none of these.
 */
export const isProgrammingError = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof RangeError ||
  error instanceof ReferenceError ||
  error instanceof SyntaxError;
