import type { MongoServerError } from 'mongodb';

const DUPLICATE_KEY = 11_000;

/** Compares the error's name, because a check of its class would load the driver. */
export const isDuplicateKey = (error: unknown): error is MongoServerError =>
  error instanceof Error && error.name.startsWith('Mongo') && 'code' in error && error.code === DUPLICATE_KEY;
