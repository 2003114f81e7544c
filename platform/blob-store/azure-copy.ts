import type { BlobBeginCopyFromURLOptions, BlockBlobClient } from '@azure/storage-blob';
import { BlobFault } from './blob-store.ts';

/** Copies within one storage account usually end with the request that starts them. */
const POLL_MS = 100;

/** Copies within the store. Rejects if the copy ended without success. */
export const copyBlob = async (
  from: BlockBlobClient,
  to: BlockBlobClient,
  options: BlobBeginCopyFromURLOptions,
): Promise<void> => {
  const copying = await to.beginCopyFromURL(from.url, { intervalInMs: POLL_MS, ...options });
  const { copyStatus } = await copying.pollUntilDone();
  if (copyStatus !== 'success')
    throw new BlobFault('unavailable', to.name, `the blob store did not copy to ${to.name}: ${copyStatus}`);
};
