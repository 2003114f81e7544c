import { setTimeout as pause } from 'node:timers/promises';

/**
 * Repeats an action next to a test until `stop`, with pauses. `stop` waits for the last repetition, and rejects with
 * its fault.
 */
export const meanwhile = (
  pause_ms: number,
  work: (n: number) => Promise<void>,
): { readonly stop: () => Promise<void> } => {
  const stopping = new AbortController();
  const running = (async () => {
    for (let n = 0; !stopping.signal.aborted; n += 1) {
      await work(n);
      await pause(pause_ms, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  running.catch(() => undefined);
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
};
