import type { MongoServerError } from 'mongodb';

const DUPLICATE_KEY = 11_000;

/** There is a document with this id already. By its name, so that whoever asks need not load the driver. */
export const isDuplicateKey = (error: unknown): error is MongoServerError =>
  error instanceof Error && error.name.startsWith('Mongo') && 'code' in error && error.code === DUPLICATE_KEY;
