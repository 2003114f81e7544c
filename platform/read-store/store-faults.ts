import { MongoError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { isQueryTimeout } from './query-timeout.ts';

const DUPLICATE_KEY = 11_000;

/** The store did not do what it was asked for, or not in time. */
export const isStoreFault = (error: unknown): boolean => error instanceof MongoError || isQueryTimeout(error);

/** The server is not there, or not reached: that has nothing to do with what it was asked for. */
export const isAway = (error: unknown): boolean =>
  error instanceof MongoNetworkError || error instanceof MongoServerSelectionError;

/** There is a document with this id already. */
export const isDuplicateKey = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY;
