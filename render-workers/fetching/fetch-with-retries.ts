import {
  type FetchedFile,
  type FetchFault,
  type FetchResult,
  isTransientFetchFault,
} from '../../platform/outbound/fetch-result.ts';
import { type RetryOptions, retry } from '../../platform/process/retry.ts';

class Passing extends Error {
  readonly fault: FetchFault;

  constructor(fault: FetchFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Fetches again while the server or the network is at fault. The last fault is the result. */
export const fetchWithRetries = async (
  fetchOnce: () => Promise<FetchResult>,
  options: Pick<RetryOptions, 'clock' | 'signal' | 'policy'>,
): Promise<FetchedFile | FetchFault> => {
  const attempt = async (): Promise<FetchedFile | FetchFault> => {
    const result = await fetchOnce();
    if (result.tag === 'failed' && isTransientFetchFault(result)) throw new Passing(result);
    return result;
  };
  try {
    return await retry(attempt, { ...options, isTransient: (fault) => fault instanceof Passing });
  } catch (fault) {
    if (fault instanceof Passing) return fault.fault;
    throw fault;
  }
};
