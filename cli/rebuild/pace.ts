export type ProgressSample = { readonly at: number; readonly folded: number };

/** The rate uses only the last seconds, because it depends on the store's other load. */
const WINDOW_MS = 15_000;

export const addProgressSample = (
  samples: readonly ProgressSample[],
  sample: ProgressSample,
): readonly ProgressSample[] => {
  const last_before = samples.findLastIndex(({ at }) => at <= sample.at - WINDOW_MS);
  return [...samples.slice(Math.max(0, last_before)), sample];
};

/** Records per second; null with too few samples. */
export const foldRate = (samples: readonly ProgressSample[]): number | null => {
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (first === undefined || last === undefined || last.at === first.at) return null;
  return Math.max(0, ((last.folded - first.folded) * 1_000) / (last.at - first.at));
};

const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_HOUR = 3_600;

const durationText = (seconds: number): string => {
  if (seconds < SECONDS_PER_MINUTE) return `${Math.ceil(seconds)} s`;
  if (seconds < SECONDS_PER_HOUR) return `${Math.ceil(seconds / SECONDS_PER_MINUTE)} min`;
  return `${(seconds / SECONDS_PER_HOUR).toFixed(1)} h`;
};

/** `12000 of 20000 records, 8100/s, about 1 s left` */
export const foldRateText = (folded: number, of: number, pace: number | null): string => {
  const records = `${folded} of ${of} records`;
  if (pace === null) return records;
  const rate = `${records}, ${Math.round(pace)}/s`;
  return folded >= of || pace < 1 ? rate : `${rate}, about ${durationText((of - folded) / pace)} left`;
};
