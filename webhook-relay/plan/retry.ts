import { setTimeout as pause } from 'node:timers/promises';
import type { Warn } from '../../platform/logging/sparing-warnings.ts';

const RETRY_MS = 500;

/** Tries until it is done, and says why it is not; rejects once `stop` aborts. */
export const retry = async <A>(work: () => Promise<A>, what: string, warn: Warn, stop: AbortSignal): Promise<A> => {
  for (;;) {
    stop.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      stop.throwIfAborted();
      warn({ error }, what);
      await pause(RETRY_MS, undefined, { signal: stop });
    }
  }
};
