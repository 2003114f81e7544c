import * as E from 'fp-ts/lib/Either.js';
import { BlobFault } from '../platform/blob-store/blob-store.ts';

type BlobFailed = { readonly tag: 'blob_failed'; readonly message: string };

export const catalogueFaultOf = (error: unknown): E.Either<BlobFailed, never> => {
  if (error instanceof BlobFault) return E.left({ tag: 'blob_failed', message: error.message });
  throw error;
};
