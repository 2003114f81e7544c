/** From systemd's range for temporary users of services ("DynamicUser"). */
const FIRST = 61_184;
const MANY = 512;

/** All user ids that a root process uses for sandboxes. */
export const SANDBOX_USERS: readonly number[] = Array.from({ length: MANY }, (_, index) => FIRST + index);

/**
 * Assigns a user id to each confined process in turn, so that concurrent processes rarely share one. Different users
 * cannot touch each other, and the kernel's limits by user apply to each separately.
 */
export const sandboxUsers = (): (() => number) => {
  let taken = process.pid;
  return () => {
    taken += 1;
    return FIRST + (taken % MANY);
  };
};
