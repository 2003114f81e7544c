import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';

export const notCalled = async (): Promise<never> => {
  throw new Error('this must not be called');
};

export const blobsWith = (parts: Partial<BlobStore>): BlobStore => ({
  ...{
    ensureContainer: notCalled,
    putPayload: notCalled,
    getPayload: notCalled,
    getSaltedPayload: notCalled,
    writeText: notCalled,
    readText: notCalled,
    upload: notCalled,
    copy: notCalled,
    download: notCalled,
  },
  ...{ signedUrl: notCalled, exists: notCalled, sizeOf: notCalled, remove: notCalled, deletePrefix: notCalled },
  healthy: notCalled,
  ...parts,
});
