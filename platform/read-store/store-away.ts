import { isQueryTimeout } from './query-timeout.ts';

/** Whether an error of a query means that the store does not answer now. */
export const isAway = (error: unknown): boolean =>
  isQueryTimeout(error) || (error instanceof Error && error.name.startsWith('Mongo'));
