import { BlobFault } from '../../platform/blob-store/blob-store.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { exponentialBackOff, type RetryPolicy, retry } from '../../platform/process/retry.ts';

/** The number of tries, which takes one or two hours, because the blob store may be unavailable for long. */
const MAX_FAILURES = 1_000;
/**
 * The number of tries after a refusal, which takes a minute, because credentials may be replaced. A blob under a legal
 * hold cannot be deleted, and a corrupt one cannot be changed.
 */
const MAX_REFUSALS = 16;

const PATIENT: RetryPolicy = (failures) => (failures < MAX_FAILURES ? exponentialBackOff(failures) : null);

export const retryErasure = <A>(
  eraseAll: () => Promise<A>,
  how: {
    readonly clock: Pick<Clock, 'sleep'>;
    readonly signal: AbortSignal;
    readonly onFailure: (error: unknown) => void;
  },
): Promise<A> => {
  let refusals = 0;
  const isTransient = (error: unknown): boolean => {
    if (!(error instanceof BlobFault) || (error.tag !== 'refused' && error.tag !== 'corrupt')) return true;
    refusals += 1;
    return refusals < MAX_REFUSALS;
  };
  return retry(eraseAll, { ...how, isTransient, policy: PATIENT });
};
