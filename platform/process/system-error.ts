/** A failed system call means that the machine is at fault: a full disk, or too many open files. */
export const isSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error;
