import { type Clock, SYSTEM_CLOCK } from '../process/clock.ts';

const USUAL_FRESH_MS = 1_000;

/**
 * Calls `read` at most once per `fresh_ms`, so a result may be older than its request by that much. A failed read is
 * not cached.
 */
export const readOncePerInterval = <A>(
  read: () => Promise<A>,
  clock: Clock = SYSTEM_CLOCK,
  fresh_ms: number = USUAL_FRESH_MS,
): (() => Promise<A>) => {
  let known: { readonly read_at: number; readonly answer: Promise<A> } | null = null;
  return async () => {
    const now = clock.monotonic();
    if (known === null || now - known.read_at >= fresh_ms) {
      const answer = read();
      known = { read_at: now, answer };
      answer.catch(() => {
        known = null;
      });
    }
    return await known.answer;
  };
};
