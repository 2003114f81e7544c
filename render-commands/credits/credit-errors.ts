import type { ApiError } from '../../platform/http-server/api-error.ts';

const RETRY_AFTER_S = 1;
const LAG_RETRY_AFTER_S = 5;
const MS_PER_S = 1_000;

const unavailable = (message: string, retry_after_s = RETRY_AFTER_S): ApiError => ({
  tag: 'unavailable',
  message: `${message}; nothing was changed, try again`,
  retry_after_s,
});

export const TOO_MANY_RESERVATIONS_ERROR = unavailable('too many renders of this account are on their way');
export const CREDITS_LEASED_ERROR = unavailable('the credits of this account are being spent by other requests');

export const notEnoughCreditsError = (price: number, left: number): ApiError => ({
  tag: 'payment_required',
  message: `not enough credits: this render costs ${price}, and ${Math.max(0, left)} ${left === 1 ? 'is' : 'are'} left`,
});

/** @param lag_ms infinite if it is unknown */
export const ledgerLagError = (lag_ms: number): ApiError => {
  const far = lag_ms === Number.POSITIVE_INFINITY ? '' : ` ${Math.floor(lag_ms / MS_PER_S)} s`;
  return unavailable(`credits cannot be checked: the ledger is${far} behind the log`, LAG_RETRY_AFTER_S);
};
