import {
  BlobSASPermissions,
  type BlobServiceClient,
  generateBlobSASQueryParameters,
  SASProtocol,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { Values } from '../configuration/configuration.ts';
import type { BLOB_STORE } from '../configuration/parts.ts';
import type { BlobStore } from './blob-store.ts';
import { contentDisposition } from './content-disposition.ts';

/** A SAS starts a little before the current time, for clocks that are behind. */
const SAS_BACKDATED_MS = 5 * 60 * 1000;
const READ_ONLY = BlobSASPermissions.from({ read: true });

const withoutSlashes = (url: string): string => url.replace(/(?<!\/)\/+$/, '');

/** Signs URLs that allow to read one blob. Throws if the client has no account key. */
export const urlSigner = (
  service: BlobServiceClient,
  settings: Pick<Values<typeof BLOB_STORE>, 'container' | 'public_url' | 'signed_url_lifetime_s'>,
): ((...of: Parameters<BlobStore['signedUrl']>) => string) => {
  const { credential } = service;
  const { url } = service.getContainerClient(settings.container);
  /** The container as clients see it. */
  const base_url =
    settings.public_url === undefined
      ? url
      : `${withoutSlashes(settings.public_url)}${url.slice(withoutSlashes(service.url).length)}`;
  /** A link over https cannot be used over http. */
  const protocol = new URL(base_url).protocol === 'https:' ? { protocol: SASProtocol.Https } : {};
  return (path, { file_name, content_type }) => {
    if (!(credential instanceof StorageSharedKeyCredential)) throw new TypeError('there is no key to sign with');
    const now = Date.now();
    // Avoids a client for each blob, which its own `generateSasUrl` needs: the client takes half of the time.
    const sas = generateBlobSASQueryParameters(
      {
        containerName: settings.container,
        blobName: path,
        permissions: READ_ONLY,
        ...protocol,
        startsOn: new Date(now - SAS_BACKDATED_MS),
        expiresOn: new Date(now + settings.signed_url_lifetime_s * 1000),
        contentDisposition: contentDisposition(file_name),
        contentType: content_type,
      },
      credential,
    );
    return `${base_url}/${path.split('/').map(encodeURIComponent).join('/')}?${sas}`;
  };
};
