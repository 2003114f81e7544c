import { type Clock, SYSTEM_CLOCK } from './clock.ts';

/** The work itself cannot be stopped. After the limit, this ignores the work and returns the result of `late`. */
export const withTimeout = async <A>(
  limit_ms: number,
  work: Promise<A>,
  late: () => A,
  clock: Clock = SYSTEM_CLOCK,
): Promise<A> => {
  const { promise, resolve } = Promise.withResolvers<'late'>();
  const cancel = clock.after(limit_ms, () => resolve('late'));
  try {
    const first = await Promise.race([work.then((value) => ({ value })), promise]);
    return first === 'late' ? late() : first.value;
  } finally {
    cancel();
  }
};
