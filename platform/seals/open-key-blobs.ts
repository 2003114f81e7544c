import { MAX_TREE_BYTES } from '../../schemas/seal/key-tree.ts';
import type { BlobSettings } from '../blob-store/azure-blob-store.ts';
import { openVersionedBlobs } from '../blob-store/azure-versioned-blobs.ts';
import type { VersionedBlobs } from '../blob-store/versioned-blobs.ts';

/** The key trees, in the container of all other blobs. Connects at first use. */
export const openKeyBlobs = (settings: Pick<BlobSettings, 'connection_string' | 'container'>): VersionedBlobs =>
  openVersionedBlobs(settings, MAX_TREE_BYTES);
