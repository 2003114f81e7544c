import {
  BlobServiceClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  SASProtocol,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { BlobSettings } from './azure-blob-store.ts';
import { openVersionedBlobs } from './azure-versioned-blobs.ts';
import type { ProofBlobs, SharedAccess } from './proof-blobs.ts';

type ProofSettings = Pick<BlobSettings, 'connection_string' | 'public_url'> & { readonly container: string };

/** Largest blob to read: a bundle of 256 entries of 64 KiB, with some room. */
const MAX_BYTES = 17 * 1024 * 1024;
/** The SAS is valid from a time before now, for a server whose clock is behind. */
const SAS_BACKDATED_MS = 5 * 60 * 1000;
const READ_AND_LIST = ContainerSASPermissions.from({ read: true, list: true });

/** Connects at first use. */
export const openProofBlobs = (settings: ProofSettings): ProofBlobs => {
  const blobs = openVersionedBlobs(settings, MAX_BYTES);
  return {
    ...blobs,
    replace: (path, bytes, version) =>
      version === null ? blobs.create(path, bytes) : blobs.replace(path, bytes, version),
  };
};

/** A SAS that lets outsiders read and list the container. */
export const shareProofs = (settings: ProofSettings, now_ms: number, lifetime_ms: number): SharedAccess => {
  const service = BlobServiceClient.fromConnectionString(settings.connection_string);
  const { credential } = service;
  if (!(credential instanceof StorageSharedKeyCredential))
    throw new TypeError('the connection string has no account key to sign with');
  const base = (settings.public_url ?? service.url).replace(/(?<!\/)\/+$/, '');
  const expires_at = new Date(now_ms + lifetime_ms);
  const query = generateBlobSASQueryParameters(
    {
      containerName: settings.container,
      permissions: READ_AND_LIST,
      startsOn: new Date(now_ms - SAS_BACKDATED_MS),
      expiresOn: expires_at,
      ...(base.startsWith('https:') ? { protocol: SASProtocol.Https } : {}),
    },
    credential,
  );
  return { url: `${base}/${settings.container}`, query: query.toString(), expires_at };
};
