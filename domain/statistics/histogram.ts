/**
 * The count of values in each bucket, by bucket number, without empty buckets. The buckets never change, so that
 * histograms of all hours and partitions can be added.
 */
export type Histogram = Readonly<Record<string, number>>;

const GROWTH = 1.2;
const SHORTEST_MS = 10;
const LONGEST_MS = 8 * 24 * 60 * 60 * 1_000;

/** The maximum relative error of a quantile, for values between the shortest and the longest. */
export const QUANTILE_ERROR = 0.1;

/** The longest value of each bucket, ms. Multiplication gives the same result on every machine. */
const BOUNDS_MS: readonly number[] = (() => {
  const bounds = [SHORTEST_MS];
  for (let bound = SHORTEST_MS; bound < LONGEST_MS; bounds.push(bound)) bound *= GROWTH;
  return bounds;
})();

export const bucketOf = (value_ms: number): number => {
  let low = 0;
  let high = BOUNDS_MS.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((BOUNDS_MS[middle] ?? 0) < value_ms) low = middle + 1;
    else high = middle;
  }
  return low;
};

const middleOf = (bucket: number): number => {
  const longest = BOUNDS_MS[Math.min(bucket, BOUNDS_MS.length - 1)] ?? SHORTEST_MS;
  const shortest = BOUNDS_MS[bucket - 1];
  return shortest === undefined ? SHORTEST_MS : (2 * shortest * longest) / (shortest + longest);
};

export const addCounts = (
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> => {
  const sum: Record<string, number> = { ...one };
  // `hasOwn`, because a failure code may be `constructor`, which every object has.
  for (const [name, count] of Object.entries(other))
    sum[name] = (Object.hasOwn(sum, name) ? (sum[name] ?? 0) : 0) + count;
  return sum;
};

/**
 * The quantile in ms, by nearest rank; null without values.
 *
 * @param part 0.5 for the median, 0.95 for p95
 */
export const quantileOf = (histogram: Histogram, part: number): number | null => {
  const buckets = Object.entries(histogram)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .toSorted((a, b) => a.bucket - b.bucket);
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(part * total));
  let passed = 0;
  for (const { bucket, count } of buckets) {
    passed += count;
    if (passed >= rank) return middleOf(bucket);
  }
  return null;
};
