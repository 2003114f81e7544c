import { BlobFault, isBlobStoreUnavailable } from '../platform/blob-store/blob-store.ts';
import type { Warn } from '../platform/logging/sparing-warnings.ts';
import type { Clock } from '../platform/process/clock.ts';
import { retry } from '../platform/process/retry.ts';

export type PayloadReading = {
  readonly warn: Warn;
  /** It is there, and is not what was stored. */
  readonly onCorrupt: () => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/**
 * What a payload holds; null where it is not there any more, or is not what was stored, which is told. While the store of
 * blobs is away it tries again; rejects once `signal` aborts.
 *
 * What is not what was stored stays so, and nobody waits for it: a partition would stand still for ever.
 *
 * @param what it is, for the log
 */
export const payloadUntilRead = async <A>(
  read: () => Promise<A>,
  what: string,
  { warn, onCorrupt, clock, signal }: PayloadReading,
): Promise<A | null> => {
  try {
    return await retry(read, {
      ...{ clock, signal, isTransient: isBlobStoreUnavailable },
      onFailure: (error) => warn({ error }, `${what} cannot be read yet; trying again`),
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof BlobFault)) throw error;
    if (error.tag === 'corrupt') {
      onCorrupt();
      warn({ error }, `${what} is not what was stored; it is left out`);
    }
    return null;
  }
};
