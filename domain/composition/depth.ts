/** Whether a JSON value nests more than `limit` levels. Without recursion, as who wrote it chooses the depth. */
export const isDeeperThan = (json: unknown, limit: number): boolean => {
  let level: readonly unknown[] = [json];
  for (let depth = 0; depth <= limit; depth += 1) {
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
    if (level.length === 0) return false;
  }
  return true;
};
