/** Linear time: no two parts of the expression match the same character. */
const ISO_DATE = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

const HAS_OFFSET = /(?:Z|[+-]\d{2}:\d{2})$/;

const isDay = (date: string): boolean => {
  const time_ms = Date.parse(`${date}T00:00:00Z`);
  // Date.parse reads February 30 as March 2.
  return Number.isFinite(time_ms) && new Date(time_ms).toISOString().startsWith(date);
};

/**
 * The time of an ISO 8601 date, or date and time, in milliseconds since the epoch; null if it is not one. A time without
 * offset is UTC.
 */
export const parseIsoDate = (text: string): number | null => {
  const [, date] = ISO_DATE.exec(text.trim()) ?? [];
  if (date === undefined || !isDay(date)) return null;
  const written = text.trim();
  const time_ms = Date.parse(written.includes('T') && !HAS_OFFSET.test(written) ? `${written}Z` : written);
  return Number.isFinite(time_ms) ? time_ms : null;
};
