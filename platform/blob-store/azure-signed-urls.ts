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

type Signed = {
  readonly permissions: BlobSASPermissions;
  readonly lifetime_s: number;
  readonly contentDisposition?: string;
  readonly contentType?: string;
};

/** Signs URLs of single blobs. Throws if the client has no account key. */
const signerOf = (
  service: BlobServiceClient,
  settings: Pick<Values<typeof BLOB_STORE>, 'container' | 'public_url'>,
): ((path: string, signed: Signed) => { readonly url: string; readonly expires_at: number }) => {
  const { credential } = service;
  const { url } = service.getContainerClient(settings.container);
  const base_url =
    settings.public_url === undefined
      ? url
      : `${withoutSlashes(settings.public_url)}${url.slice(withoutSlashes(service.url).length)}`;
  const protocol = new URL(base_url).protocol === 'https:' ? { protocol: SASProtocol.Https } : {};
  return (path, { lifetime_s, ...signed }) => {
    if (!(credential instanceof StorageSharedKeyCredential)) throw new TypeError('there is no key to sign with');
    const now = Date.now();
    const expires_at = now + lifetime_s * 1000;
    // `generateSasUrl` of a blob client takes twice as long, because it needs a client for each blob.
    const sas = generateBlobSASQueryParameters(
      {
        containerName: settings.container,
        blobName: path,
        ...protocol,
        startsOn: new Date(now - SAS_BACKDATED_MS),
        expiresOn: new Date(expires_at),
        ...signed,
      },
      credential,
    );
    const address = `${path.split('/').map(encodeURIComponent).join('/')}?${sas}`;
    return { url: `${base_url}/${encodeQuotable(address)}`, expires_at };
  };
};

/** Signs URLs that allow to read one blob. Throws if the client has no account key. */
export const urlSigner = (
  service: BlobServiceClient,
  settings: Pick<Values<typeof BLOB_STORE>, 'container' | 'public_url' | 'signed_url_lifetime_s'>,
): ((...of: Parameters<BlobStore['signedUrl']>) => string) => {
  const sign = signerOf(service, settings);
  return (path, { file_name, content_type: contentType }) =>
    sign(path, {
      permissions: READ_ONLY,
      lifetime_s: settings.signed_url_lifetime_s,
      contentDisposition: contentDisposition(file_name),
      contentType,
    }).url;
};

const WRITE_ONLY = BlobSASPermissions.from({ create: true, write: true });

/** Signs URLs that allow to write one blob, and nothing else. Throws if the client has no account key. */
export const writeUrlSigner = (
  service: BlobServiceClient,
  settings: Pick<Values<typeof BLOB_STORE>, 'container' | 'public_url'>,
  lifetime_s: number,
): ((path: string) => { readonly url: string; readonly expires_at: number }) => {
  const sign = signerOf(service, settings);
  return (path) => sign(path, { permissions: WRITE_ONLY, lifetime_s });
};
