import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';

export const notAsked = async (): Promise<never> => {
  throw new Error('nobody asks for this');
};

/** Of which nobody asks more than this. */
export const blobsWith = (parts: Partial<BlobStore>): BlobStore => ({
  ...{ ensureContainer: notAsked, putPayload: notAsked, getPayload: notAsked, upload: notAsked, download: notAsked },
  ...{ signedUrl: notAsked, exists: notAsked, sizeOf: notAsked, remove: notAsked, deletePrefix: notAsked },
  healthy: notAsked,
  ...parts,
});
