import type { Clock } from '../../../platform/process/clock.ts';
import type { HelpCoordinator } from './help-desk.ts';

/** Time limit for reading this worker's own claim back from the log. A claim counts only after that. */
const READ_BACK_MS = 5_000;

type Reading = { readonly desk: Pick<HelpCoordinator, 'onRead'>; readonly clock: Pick<Clock, 'after'> };

/** Waits for heartbeats until `answer` has one; null after the time limit, or if `signal` aborts. */
export const waitForHeartbeat = async <A>(
  { desk, clock }: Reading,
  answer: () => A | null,
  signal: AbortSignal,
): Promise<A | null> => {
  const { promise, resolve } = Promise.withResolvers<A | null>();
  const look = (): void => {
    const found = answer();
    if (found !== null) resolve(found);
  };
  const none = (): void => resolve(null);
  const endReading = desk.onRead(look);
  const endWaiting = clock.after(READ_BACK_MS, none);
  signal.addEventListener('abort', none, { once: true });
  if (signal.aborted) none();
  look();
  try {
    return await promise;
  } finally {
    endReading();
    endWaiting();
    signal.removeEventListener('abort', none);
  }
};
