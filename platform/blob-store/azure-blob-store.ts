import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { posix } from 'node:path';
import {
  BlobSASPermissions,
  BlobServiceClient,
  generateBlobSASQueryParameters,
  RestError,
  SASProtocol,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { PayloadRef } from '../../domain/event/payload.ts';
import { saltedHash } from '../../schemas/blobs/salted-hash.ts';
import type { Values } from '../configuration/configuration.ts';
import type { BLOB_STORE } from '../configuration/parts.ts';
import { mintUlid } from '../identity/mint-ulid.ts';
import { createReadiness, type Readiness } from '../process/readiness.ts';
import { asFault } from './azure-faults.ts';
import { receiveBytes, receiveFile, sendFile } from './azure-files.ts';
import { BlobFault, type BlobStore, type SaltedBytes } from './blob-store.ts';
import { contentDisposition } from './content-disposition.ts';
import { hashOfFile } from './file-hash.ts';
import { type WatchedRequest, withIdleTimeout } from './idle-timeout.ts';

export type BlobSettings = Values<typeof BLOB_STORE>;

/** A SAS starts a little before the current time, for clocks that are behind. */
const SAS_BACKDATED_MS = 5 * 60 * 1000;
const READ_ONLY = BlobSASPermissions.from({ read: true });
/** The client sends this limit to the server, and does not enforce it itself. */
const TRY_TIMEOUT_MS = 30_000;
/** A request without a byte for this long is aborted. */
const IDLE_MS = 30_000;
const HEALTHY_MS = 2_000;
/** Retry options for requests that are not urgent. */
export const RETRIED = { maxTries: 3, retryDelayInMs: 250, maxRetryDelayInMs: 2_000 } as const;
const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;

/** `a/b.json` becomes `a/b-<ulid>.json`: every write of a payload has its own path. */
const ownPath = (path: string): string => {
  const extension = posix.extname(path);
  return `${path.slice(0, path.length - extension.length)}-${mintUlid()}${extension}`;
};

/** The blob store on Azure Blob Storage or its emulator. Connects at first use. */
export const openBlobStore = (
  settings: BlobSettings,
  readiness: Readiness = createReadiness(),
  idle_ms: number = IDLE_MS,
): BlobStore => {
  const service = BlobServiceClient.fromConnectionString(settings.connection_string, {
    retryOptions: { ...RETRIED, tryTimeoutInMs: TRY_TIMEOUT_MS },
  });
  const container = service.getContainerClient(settings.container);
  const blob = (path: string) => container.getBlockBlobClient(path);

  const served = <A>(
    path: string,
    signal: AbortSignal | undefined,
    request: (watched: WatchedRequest) => Promise<A>,
  ): Promise<A> => asFault(path, () => withIdleTimeout(idle_ms, signal, request), signal);

  /** The container as clients see it. */
  const base_url =
    settings.public_url === undefined
      ? container.url
      : `${settings.public_url.replace(/(?<!\/)\/+$/, '')}${container.url.slice(service.url.replace(/(?<!\/)\/+$/, '').length)}`;
  const { credential } = service;
  /** A link over https cannot be used over http. */
  const protocol = new URL(base_url).protocol === 'https:' ? { protocol: SASProtocol.Https } : {};

  const healthy = async (): Promise<boolean> => {
    try {
      await container.getProperties({ abortSignal: AbortSignal.timeout(HEALTHY_MS) });
      return true;
    } catch (error) {
      // The first write creates the container if it is missing.
      return error instanceof RestError && error.statusCode === 404;
    }
  };
  readiness.check('blob store', async () => ((await healthy()) ? null : 'does not answer'));

  const getSaltedPayload = ({ path, sha256 }: PayloadRef, signal?: AbortSignal): Promise<SaltedBytes> =>
    served(path, signal, async (watched) => {
      const { bytes, metadata } = await receiveBytes(blob(path), MAX_PAYLOAD_BYTES, watched);
      if (bytes === null) throw new BlobFault('corrupt', path, `${path} is larger than any payload`);
      const { salt = '' } = metadata;
      if (saltedHash(salt, bytes) !== sha256)
        throw new BlobFault('corrupt', path, `${path} is corrupt: its hash differs`);
      return { bytes, salt };
    });

  return {
    ensureContainer: () =>
      asFault(settings.container, async () => {
        await container.createIfNotExists();
      }),

    putPayload: (path, bytes, content_type, signal) =>
      served(path, signal, async ({ abortSignal }) => {
        const own = ownPath(path);
        const salt = randomBytes(16).toString('hex');
        const sha256 = saltedHash(salt, bytes);
        await blob(own).uploadData(bytes, {
          abortSignal,
          blobHTTPHeaders: { blobContentType: content_type },
          metadata: { salt },
          conditions: { ifNoneMatch: '*' },
        });
        return { path: own, sha256 };
      }),

    getPayload: async (reference, signal) => (await getSaltedPayload(reference, signal)).bytes,
    getSaltedPayload,

    writeText: (path, text, signal) =>
      served(path, signal, async ({ abortSignal }) => {
        await blob(path).uploadData(Buffer.from(text, 'utf8'), { abortSignal });
      }),

    readText: async (path, signal) => {
      try {
        const read = served(path, signal, (watched) => receiveBytes(blob(path), MAX_PAYLOAD_BYTES, watched));
        const { bytes } = await read;
        if (bytes === null) throw new BlobFault('corrupt', path, `${path} is larger than any text of the service`);
        return bytes.toString('utf8');
      } catch (error) {
        if (error instanceof BlobFault && error.tag === 'not_found') return null;
        throw error;
      }
    },

    upload: async (path, file, { content_type, signal }) => {
      const hashes = async () => await Promise.all([hashOfFile(file, signal), stat(file)]);
      const [{ sha256, md5 }, { size: size_bytes }] = await asFault(path, hashes, signal);
      const headers = { blobContentType: content_type, blobContentMD5: md5 };
      const sent = { file, size_bytes, headers, metadata: { sha256 } };
      await served(path, signal, (watched) => sendFile(blob(path), sent, watched));
      return { size_bytes, sha256 };
    },

    download: (path, file, signal) =>
      served(path, signal, (watched) => receiveFile(blob(path), { path, file, must_state_hash: false }, watched)),

    signedUrl: (path, { file_name, content_type }) =>
      asFault(path, async () => {
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
      }),

    remove: (path) =>
      served(path, undefined, async ({ abortSignal }) => {
        await blob(path).deleteIfExists({ abortSignal });
      }),

    sizeOf: (path, signal) =>
      served(
        path,
        signal,
        async ({ abortSignal }) => (await blob(path).getProperties({ abortSignal })).contentLength ?? 0,
      ),

    exists: (path) => served(path, undefined, ({ abortSignal }) => blob(path).exists({ abortSignal })),

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
