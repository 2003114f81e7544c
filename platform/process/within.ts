import { type Clock, SYSTEM_CLOCK } from './clock.ts';

/**
 * The outcome of work that cannot be stopped itself, if it has one within the time; else that of `late`, which may
 * throw, and the work is left to end unheard.
 */
export const within = async <A>(
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
