import type { ApiError } from '../http-server/api-error.ts';

const RETRY_AFTER_S = 1;

export const NOT_APPENDED_ERROR: ApiError = {
  tag: 'unavailable',
  message: 'the event log does not answer; nothing was changed, try again',
  retry_after_s: RETRY_AFTER_S,
};
