import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { BACK_OFF, type RetryPolicy, retry } from '../../platform/process/retry.ts';

/** An hour or two, because Blob may be unavailable for long. */
const MAX_FAILURES = 1_000;
/** A minute: keys of the store get replaced, but a blob under a legal hold stays undeletable. */
const MAX_REFUSALS = 16;

const PATIENT: RetryPolicy = (failures) => (failures < MAX_FAILURES ? BACK_OFF(failures) : null);

/** Tries to delete the blobs of a render: longer while the store is unavailable than when it refuses. */
export const erasePatiently = <A>(
  eraseAll: () => Promise<A>,
  how: {
    readonly clock: Pick<Clock, 'sleep'>;
    readonly signal: AbortSignal;
    readonly onFailure: (error: unknown) => void;
  },
): Promise<A> => {
  let refusals = 0;
  const isTransient = (error: unknown): boolean => {
    if (!(error instanceof BlobFault) || error.tag !== 'refused') return true;
    refusals += 1;
    return refusals < MAX_REFUSALS;
  };
  return retry(eraseAll, { ...how, isTransient, policy: PATIENT });
};
