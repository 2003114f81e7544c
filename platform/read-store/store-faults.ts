import { MongoError, MongoNetworkError, MongoServerSelectionError } from 'mongodb';
import { isQueryTimeout } from './query-timeout.ts';

/** The store did not do what it was asked for, or not in time. */
export const isStoreFault = (error: unknown): boolean => error instanceof MongoError || isQueryTimeout(error);

/** The server is not there, or not reached: that has nothing to do with what it was asked for. */
export const isAway = (error: unknown): boolean =>
  error instanceof MongoNetworkError || error instanceof MongoServerSelectionError;
