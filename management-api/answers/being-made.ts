import type { ApiError } from '../../platform/http-server/api-error.ts';

const RETRY_AFTER_S = 5;

export const unavailableWhileBuilding = (what: string): ApiError => ({
  tag: 'unavailable',
  message: `${what} after an upgrade; try again later`,
  retry_after_s: RETRY_AFTER_S,
});
