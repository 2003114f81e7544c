import type { BlobClient } from '@azure/storage-blob';
import { hasErrorCode } from './azure-errors.ts';

/**
 * Deletes the blob and its snapshots, also if it is leased. The URL of an upload allows its client to take leases and
 * snapshots, which would otherwise prevent an erasure.
 */
export const removeBlob = async (blob: BlobClient, abortSignal: AbortSignal, version?: string): Promise<void> => {
  const conditions = version === undefined ? {} : { ifMatch: version };
  const remove = () => blob.deleteIfExists({ abortSignal, conditions, deleteSnapshots: 'include' });
  try {
    await remove();
  } catch (error) {
    if (!hasErrorCode(error, 'LeaseIdMissing')) throw error;
    await blob.getBlobLeaseClient().breakLease(0, { abortSignal });
    await remove();
  }
};
