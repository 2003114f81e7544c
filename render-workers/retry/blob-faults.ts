import { BlobFault } from '../../platform/blob-store/blob-store.ts';

/** The store did not answer: another try may do. Missing and altered blobs stay so. */
export const isBlobAway = (fault: unknown): boolean => fault instanceof BlobFault && fault.tag === 'unavailable';
