import { createHash, randomBytes } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  BlobSASPermissions,
  BlobServiceClient,
  generateBlobSASQueryParameters,
  RestError,
  SASProtocol,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { Values } from '../configuration/configuration.ts';
import type { BLOB_STORE } from '../configuration/parts.ts';
import { mintUlid } from '../identity/mint-ulid.ts';
import { createReadiness, type Readiness } from '../process/readiness.ts';
import { asFault } from './azure-faults.ts';
import { BlobFault, type BlobStore } from './blob-store.ts';
import { contentDisposition } from './content-disposition.ts';
import { hashOfFile } from './file-hash.ts';

export type BlobSettings = Values<typeof BLOB_STORE>;

/** A SAS is good from a little before now, for clocks that are behind. */
const SAS_BACKDATED_MS = 5 * 60 * 1000;
const READ_ONLY = BlobSASPermissions.from({ read: true });
const TRY_TIMEOUT_MS = 30_000;
const HEALTHY_MS = 2_000;
const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
const UPLOAD_BLOCK_BYTES = 8 * 1024 * 1024;

/** `a/b.json` becomes `a/b-<ulid>.json`: every write of a payload has a path of its own. */
const ownPath = (path: string): string => {
  const extension = posix.extname(path);
  return `${path.slice(0, path.length - extension.length)}-${mintUlid()}${extension}`;
};

/** The blob store on Azure Blob, or on an emulator of it. Opens nothing until it is used. */
export const openBlobStore = (settings: BlobSettings, readiness: Readiness = createReadiness()): BlobStore => {
  const service = BlobServiceClient.fromConnectionString(settings.connection_string, {
    retryOptions: { maxTries: 3, tryTimeoutInMs: TRY_TIMEOUT_MS, retryDelayInMs: 250, maxRetryDelayInMs: 2_000 },
  });
  const container = service.getContainerClient(settings.container);
  const blob = (path: string) => container.getBlockBlobClient(path);

  /** The container as clients see it. */
  const base_url =
    settings.public_url === undefined
      ? container.url
      : `${settings.public_url.replace(/\/+$/, '')}${container.url.slice(service.url.replace(/\/+$/, '').length)}`;
  const { credential } = service;
  /** A link over https cannot be used over http. */
  const protocol = new URL(base_url).protocol === 'https:' ? { protocol: SASProtocol.Https } : {};

  const healthy = async (): Promise<boolean> => {
    try {
      await container.getProperties({ abortSignal: AbortSignal.timeout(HEALTHY_MS) });
      return true;
    } catch (error) {
      // The first write makes a container that is not there yet.
      return error instanceof RestError && error.statusCode === 404;
    }
  };
  readiness.check('blob store', async () => ((await healthy()) ? null : 'does not answer'));

  return {
    ensureContainer: () =>
      asFault(settings.container, async () => {
        await container.createIfNotExists();
      }),

    putPayload: (path, bytes, content_type) =>
      asFault(path, async () => {
        const own = ownPath(path);
        const salt = randomBytes(16);
        const sha256 = createHash('sha256').update(salt).update(bytes).digest('hex');
        await blob(own).uploadData(bytes, {
          blobHTTPHeaders: { blobContentType: content_type },
          metadata: { salt: salt.toString('hex') },
          conditions: { ifNoneMatch: '*' },
        });
        return { path: own, sha256 };
      }),

    getPayload: ({ path, sha256 }) =>
      asFault(path, async () => {
        const { metadata, contentLength = 0, readableStreamBody } = await blob(path).download();
        if (contentLength > MAX_PAYLOAD_BYTES) {
          throw new BlobFault('corrupt', path, `${path} is larger than any payload`);
        }
        const bytes = readableStreamBody === undefined ? Buffer.alloc(0) : await buffer(readableStreamBody);
        const salt = Buffer.from(metadata?.salt ?? '', 'hex');
        const found = createHash('sha256').update(salt).update(bytes).digest('hex');
        if (found !== sha256) throw new BlobFault('corrupt', path, `${path} is not what was stored: its hash differs`);
        return bytes;
      }),

    upload: (path, file, { content_type }) =>
      asFault(path, async () => {
        const [{ sha256, md5 }, { size }] = await Promise.all([hashOfFile(file), stat(file)]);
        await blob(path).uploadFile(file, {
          blobHTTPHeaders: { blobContentType: content_type, blobContentMD5: md5 },
          metadata: { sha256 },
          blockSize: UPLOAD_BLOCK_BYTES,
          concurrency: 2,
        });
        return { size_bytes: size, sha256 };
      }),

    download: (path, file) =>
      asFault(path, async () => {
        const partial = `${file}.${mintUlid()}.partial`;
        try {
          const { metadata } = await blob(path).downloadToFile(partial);
          const [{ sha256 }, { size }] = await Promise.all([hashOfFile(partial), stat(partial)]);
          if (metadata?.sha256 !== undefined && metadata.sha256 !== sha256) {
            throw new BlobFault('corrupt', path, `${path} is not what was stored: its hash differs`);
          }
          await rename(partial, file);
          return { size_bytes: size, sha256 };
        } finally {
          await rm(partial, { force: true });
        }
      }),

    signedUrl: (path, { file_name, content_type }) =>
      asFault(path, async () => {
        if (!(credential instanceof StorageSharedKeyCredential)) throw new TypeError('there is no key to sign with');
        const now = Date.now();
        // Without a client for each blob, as its own `generateSasUrl` needs: that is half of the time.
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
      }),

    remove: (path) =>
      asFault(path, async () => {
        await blob(path).deleteIfExists();
      }),

    sizeOf: (path) => asFault(path, async () => (await blob(path).getProperties()).contentLength ?? 0),

    exists: (path) => asFault(path, () => blob(path).exists()),

    deletePrefix: (prefix) =>
      asFault(prefix, async () => {
        if (!prefix.endsWith('/')) throw new TypeError(`a prefix ends with a slash, and ${prefix} does not`);
        let count = 0;
        for await (const { name } of container.listBlobsFlat({ prefix })) {
          await blob(name).deleteIfExists();
          count += 1;
        }
        return count;
      }),

    healthy,
  };
};
