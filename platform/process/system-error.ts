/** A call of the operating system that failed: a full disk, too many open files. The machine is at fault. */
export const isSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error;
