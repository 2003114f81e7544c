import { messageOf } from '../../platform/logging/message-of.ts';
import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import { backOff } from '../../platform/process/back-off.ts';

/** Reads until there is an answer; rejects once `stop` aborts. */
export const retriedRead =
  (warn: Warn, stop: AbortSignal) =>
  async <A>(read: () => Promise<A>): Promise<A> => {
    for (let failures = 0; ; failures += 1) {
      stop.throwIfAborted();
      try {
        return await read();
      } catch (error) {
        warn({ reason: messageOf(error) }, 'the store of the deliveries cannot be read; it is tried again');
        await backOff(failures, stop);
      }
    }
  };
