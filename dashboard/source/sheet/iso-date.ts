/** Linear time: no two parts of the expression match the same character. */
const ISO_DATE = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

const isDay = (date: string): boolean => {
  const time_ms = Date.parse(`${date}T00:00:00Z`);
  // Date.parse reads February 30 as March 2.
  return Number.isFinite(time_ms) && new Date(time_ms).toISOString().startsWith(date);
};

/** Whether the service takes the text as a date, or as a date and time. */
export const isIsoDate = (text: string): boolean => {
  const [, date] = ISO_DATE.exec(text) ?? [];
  return date !== undefined && isDay(date) && Number.isFinite(Date.parse(text));
};
