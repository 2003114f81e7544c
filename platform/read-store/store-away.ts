import { isQueryTimeout } from './query-timeout.ts';

/** What a question rejected with says that the store does not answer, now. */
export const isAway = (error: unknown): boolean =>
  isQueryTimeout(error) || (error instanceof Error && error.name.startsWith('Mongo'));
