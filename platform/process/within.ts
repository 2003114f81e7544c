/**
 * The outcome of work that cannot be stopped itself, if it has one within the time; else that of `late`, which may
 * throw, and the work is left to end unheard.
 */
export const within = async <A>(limit_ms: number, work: Promise<A>, late: () => A): Promise<A> => {
  const { promise, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(resolve, limit_ms, 'late');
  try {
    const first = await Promise.race([work.then((value) => ({ value })), promise]);
    return first === 'late' ? late() : first.value;
  } finally {
    clearTimeout(timer);
  }
};
