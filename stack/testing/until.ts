import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks again until there is an answer that is neither null nor false, and gives it back.
 * Fails with `what` after `bound_ms`.
 */
export const until = async <A>(what: string, ask: () => Promise<A | null | false>, bound_ms = 30_000): Promise<A> => {
  const end = Date.now() + bound_ms;
  for (let last: unknown = null; ; await pause(50)) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`not within ${bound_ms} ms: ${what}`, { cause: last });
  }
};
