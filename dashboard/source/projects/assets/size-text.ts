const UNITS = ['bytes', 'KB', 'MB', 'GB'] as const;
const STEP = 1_000;

/** A size as systems show it: 999 bytes, 1.2 KB, 34 MB. */
export const sizeText = (bytes: number): string => {
  let value = bytes;
  let unit = 0;
  // 999.95 KB is shown as 1 MB, not as 1000 KB.
  while (unit < UNITS.length - 1 && Number(value.toFixed(unit === 0 ? 0 : 1)) >= STEP) {
    value /= STEP;
    unit += 1;
  }
  const digits = unit === 0 || value >= 10 ? 0 : 1;
  return `${Number(value.toFixed(digits))} ${UNITS[unit]}`;
};
