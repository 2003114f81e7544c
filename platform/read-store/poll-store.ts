import type { Clock } from '../process/clock.ts';
import { isStoreUnavailable } from './store-away.ts';

type Polling = {
  readonly wait_ms: number;
  readonly every_ms: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
};

/** Null on timeout, and after `signal` has aborted. During a store outage, polling continues. */
export const pollStore = async <A>(
  look: () => Promise<A | null>,
  { wait_ms, every_ms, clock, signal }: Polling,
): Promise<A | null> => {
  const began_at = clock.monotonic();
  while (clock.monotonic() - began_at < wait_ms) {
    const seen = await look().catch((error: unknown) => {
      if (isStoreUnavailable(error)) return null;
      throw error;
    });
    if (seen !== null) return seen;
    await clock.sleep(every_ms, signal).catch(() => undefined);
    if (signal?.aborted === true) return null;
  }
  return null;
};
