/** From the range that systemd keeps for users who exist only as long as a service does ("DynamicUser"). */
const FIRST = 61_184;
const MANY = 512;

/** Every user that a sandbox of root's may have. */
export const SANDBOX_USERS: readonly number[] = Array.from({ length: MANY }, (_, index) => FIRST + index);

/**
 * A user id for each confined process, in turns, so that hardly two that run at the same time share one: then neither may
 * touch the other, and limits that the kernel counts by user are each its own.
 */
export const sandboxUsers = (): (() => number) => {
  let taken = process.pid;
  return () => {
    taken += 1;
    return FIRST + (taken % MANY);
  };
};
