import type { ApiError } from '../../platform/http-server/api-error.ts';

const RETRY_AFTER_S = 5;

/** @param what is being made, as in "the audit is being rebuilt from the log" */
export const beingMade = (what: string): ApiError => ({
  tag: 'unavailable',
  message: `${what} after an upgrade; try again later`,
  retry_after_s: RETRY_AFTER_S,
});
