import type { MongoServerError } from 'mongodb';

const DUPLICATE_KEY = 11_000;

/** The store has a document with this id already. The error's name is compared, as a check of its class would load the driver. */
export const isDuplicateKey = (error: unknown): error is MongoServerError =>
  error instanceof Error && error.name.startsWith('Mongo') && 'code' in error && error.code === DUPLICATE_KEY;
