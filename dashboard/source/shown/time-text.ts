const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;
const DAY = 24 * H;

/** Drops a second unit of zero: "2 min", not "2 min 0 s". */
const withRest = (first: string, rest: number, unit: string): string =>
  rest === 0 ? first : `${first} ${rest} ${unit}`;

/** At most two units. Rounded before it is divided, so that no unit reaches the next one: "2 min", not "1 min 60 s". */
export const duration = (ms: number): string => {
  const whole_ms = Math.round(ms);
  if (whole_ms < S) return `${whole_ms} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 100) return `${(tenths / 10).toFixed(1)} s`;
  const s = Math.round(ms / S);
  if (s < 60) return `${s} s`;
  if (s < 3_600) return withRest(`${Math.floor(s / 60)} min`, s % 60, 's');
  const min = Math.round(ms / MIN);
  if (min < 48 * 60) return withRest(`${Math.floor(min / 60)} h`, min % 60, 'min');
  return `${Math.round(ms / DAY)} days`;
};
