import { MongoError, MongoNetworkError, MongoServerSelectionError } from 'mongodb';
import { isQueryTimeout } from './query-timeout.ts';

/** The store failed to do the operation, or exceeded its time limit. */
export const isStoreFault = (error: unknown): boolean => error instanceof MongoError || isQueryTimeout(error);

/** The server is down or unreachable, independent of the operation. */
export const isServerUnreachable = (error: unknown): boolean =>
  error instanceof MongoNetworkError || error instanceof MongoServerSelectionError;
