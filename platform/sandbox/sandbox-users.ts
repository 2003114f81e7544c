/** systemd reserves this range for temporary users of services ("DynamicUser"). */
const FIRST = 61_184;
const MANY = 512;

export const SANDBOX_USERS: readonly number[] = Array.from({ length: MANY }, (_, index) => FIRST + index);

/** User ids take turns, so that concurrent processes rarely share one. Users cannot signal each other. */
export const sandboxUsers = (): (() => number) => {
  let taken = process.pid;
  return () => {
    taken += 1;
    return FIRST + (taken % MANY);
  };
};
