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
import { encodeQuotable } from './quotable-url.ts';

/** The SAS begins earlier than now, for servers whose clock is behind. */
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
  const base_url =
    settings.public_url === undefined
      ? url
      : `${withoutSlashes(settings.public_url)}${url.slice(withoutSlashes(service.url).length)}`;
  const protocol = new URL(base_url).protocol === 'https:' ? { protocol: SASProtocol.Https } : {};
  return (path, { file_name, content_type }) => {
    if (!(credential instanceof StorageSharedKeyCredential)) throw new TypeError('there is no key to sign with');
    const now = Date.now();
    // `generateSasUrl` of a blob client takes twice as long, because it needs a client for each blob.
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
    return `${base_url}/${encodeQuotable(`${path.split('/').map(encodeURIComponent).join('/')}?${sas}`)}`;
  };
};
