import type { ApiError } from '../http-server/api-error.ts';
import type { RateLimits } from './rate-limits.ts';

/**
 * Counts a request of an account. Null if it is within the limit.
 *
 * @param what what is counted, like "changes of projects"
 */
export const accountRateFault = async (
  limits: RateLimits,
  account_id: string,
  what: string,
): Promise<ApiError | null> => {
  const { allowed, retry_after_s } = await limits(account_id);
  if (allowed) return null;
  const message = `too many ${what} in this account; try again in ${retry_after_s} s`;
  return { tag: 'rate_limited', message, retry_after_s };
};
