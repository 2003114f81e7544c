/**
 * A process uses a key tree at most this long after it began to read it. So every process forgets an erased key within
 * this time.
 */
export const MAX_TREE_AGE_MS = 60_000;
