import { isTooLate } from './in-time.ts';

/** What a question rejected with says that the store does not answer, now. */
export const isAway = (error: unknown): boolean =>
  isTooLate(error) || (error instanceof Error && error.name.startsWith('Mongo'));
