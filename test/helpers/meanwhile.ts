import { setTimeout as pause } from 'node:timers/promises';

/**
 * Repeats something beside a test until `stop`, with a pause between. It is a load, or a look at what users see.
 * `stop` waits for the last repetition, and rejects with the fault that ended it.
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
  // The caller of `stop` gets the fault.
  running.catch(() => undefined);
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
};
