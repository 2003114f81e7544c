const SECONDS = /^\d{1,10}$/;

/** The three forms of a date (RFC 9110, section 5.6.7) begin with the name of a day; the third says no zone. */
const DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * How long an endpoint asks to be left alone (`Retry-After`, RFC 9110, section 10.2.3): seconds, or a date.
 *
 * @param now ms since the epoch
 * @returns milliseconds, 0 for a date that has passed; null where nothing is asked for, or nothing that makes sense
 */
export const retryAfterMs = (header: string | null, now: number): number | null => {
  const text = header?.trim() ?? '';
  if (SECONDS.test(text)) return Number(text) * 1_000;
  if (!DATE.test(text)) return null;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
};
