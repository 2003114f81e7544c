/** A failed system call: a full disk, or too many open files. The machine is at fault. */
export const isSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error;
