import { BlobFault } from '../../platform/blob-store/blob-store.ts';

/** The store did not answer: a transient fault. Missing and corrupt blobs stay so. */
export const isBlobStoreUnavailable = (fault: unknown): boolean =>
  fault instanceof BlobFault && fault.tag === 'unavailable';
