import { isQueryTimeout } from './query-timeout.ts';

/** Compares the error's name, so that it does not load the driver. */
export const isStoreUnavailable = (error: unknown): boolean =>
  isQueryTimeout(error) || (error instanceof Error && error.name.startsWith('Mongo'));
