import * as E from 'fp-ts/lib/Either.js';
import { BlobFault } from '../blob-store/blob-store.ts';
import type { ApiError } from '../http-server/api-error.ts';
import type { ApiRequest } from '../http-server/route.ts';
import { isStoreFault } from '../read-store/store-faults.ts';

/** The read models are older than earlier answers to clients, for example after a restore from a backup. */
export const READ_MODEL_BEHIND_ERROR: ApiError = {
  tag: 'unavailable',
  message: 'the service is rebuilding its data from the event log; nothing was changed, try again',
  retry_after_s: 5,
};

const AWAY: ApiError = {
  tag: 'unavailable',
  message: 'a required server is unavailable; nothing was changed, try again',
  retry_after_s: 1,
};

const isOutage = (error: unknown): boolean => isStoreFault(error) || error instanceof BlobFault;

/** @param work throws an outage only before it has had any effect, because the answer says that nothing was changed */
export const unavailableOnOutage = async <A>(
  request: Pick<ApiRequest, 'log'>,
  work: () => Promise<E.Either<ApiError, A>>,
): Promise<E.Either<ApiError, A>> => {
  try {
    return await work();
  } catch (error) {
    if (!isOutage(error)) throw error;
    request.log().warn({ error }, 'a required server does not answer');
    return E.left(AWAY);
  }
};
