import { setTimeout as pause } from 'node:timers/promises';

const SOONEST_MS = 50;
const LATEST_MS = 250;

/** The pause grows with the elapsed time and the response time, because tests share their machine. */
const restMs = (waited_ms: number, answered_in_ms: number): number =>
  Math.max(SOONEST_MS, Math.min(LATEST_MS, Math.max(waited_ms / 10, answered_in_ms)));

/** Polls `ask` until it returns neither null nor false, and returns that. Fails with `what` after `bound_ms`. */
export const pollUntil = async <A>(
  what: string,
  ask: () => Promise<A | null | false>,
  bound_ms = 180_000,
): Promise<A> => {
  const began = Date.now();
  for (let last: unknown = null; ; ) {
    const asked_at = Date.now();
    try {
      const answer = await ask();
      if (answer !== null && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    const now = Date.now();
    if (now > began + bound_ms) throw new Error(`not within ${bound_ms} ms: ${what}`, { cause: last });
    await pause(restMs(now - began, now - asked_at));
  }
};
