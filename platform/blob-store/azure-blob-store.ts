import { stat } from 'node:fs/promises';
import { BlobServiceClient, RestError } from '@azure/storage-blob';
import type { Values } from '../configuration/configuration.ts';
import type { BLOB_STORE } from '../configuration/parts.ts';
import { createReadiness, type Readiness } from '../process/readiness.ts';
import { copyBlob } from './azure-copy.ts';
import { mapToBlobFault } from './azure-faults.ts';
import { receiveFile, sendFile } from './azure-files.ts';
import { payloadStore, type RunRequest } from './azure-payloads.ts';
import { urlSigner } from './azure-signed-urls.ts';
import type { BlobStore } from './blob-store.ts';
import { hashOfFile } from './file-hash.ts';
import { withIdleTimeout } from './idle-timeout.ts';

export type BlobSettings = Values<typeof BLOB_STORE>;

/** The client sends this limit to the server, and does not enforce it itself. */
const TRY_TIMEOUT_MS = 30_000;
/** A request without a byte for this long is aborted. */
const IDLE_MS = 30_000;
const HEALTHY_MS = 2_000;
/** Retry options for requests that are not urgent. */
export const RETRY_OPTIONS = { maxTries: 3, retryDelayInMs: 250, maxRetryDelayInMs: 2_000 } as const;

/** The blob store on Azure Blob Storage or its emulator. Connects at first use. */
export const openBlobStore = (
  settings: BlobSettings,
  readiness: Readiness = createReadiness(),
  idle_ms: number = IDLE_MS,
): BlobStore => {
  const service = BlobServiceClient.fromConnectionString(settings.connection_string, {
    retryOptions: { ...RETRY_OPTIONS, tryTimeoutInMs: TRY_TIMEOUT_MS },
  });
  const container = service.getContainerClient(settings.container);
  const blob = (path: string) => container.getBlockBlobClient(path);

  const served: RunRequest = (path, signal, request) =>
    mapToBlobFault(path, () => withIdleTimeout(idle_ms, signal, request), signal);

  const signedUrl = urlSigner(service, settings);

  const healthy = async (): Promise<boolean> => {
    try {
      await container.getProperties({ abortSignal: AbortSignal.timeout(HEALTHY_MS) });
      return true;
    } catch (error) {
      // A missing container is no problem, because the first write creates it.
      return error instanceof RestError && error.statusCode === 404;
    }
  };
  readiness.check('blob store', async () => ((await healthy()) ? null : 'does not answer'));

  return {
    ensureContainer: () =>
      mapToBlobFault(settings.container, async () => {
        await container.createIfNotExists();
      }),

    ...payloadStore(blob, served),

    upload: async (path, file, { content_type, signal }) => {
      const hashes = async () => await Promise.all([hashOfFile(file, signal), stat(file)]);
      const [{ sha256, md5 }, { size: size_bytes }] = await mapToBlobFault(path, hashes, signal);
      const headers = { blobContentType: content_type, blobContentMD5: md5 };
      const sent = { file, size_bytes, headers, metadata: { sha256 } };
      await served(path, signal, (watched) => sendFile(blob(path), sent, watched));
      return { size_bytes, sha256 };
    },

    copy: (from, to, signal) =>
      served(to, signal, ({ abortSignal, reportProgress }) =>
        copyBlob(blob(from), blob(to), { abortSignal, onProgress: reportProgress }),
      ),

    download: (path, file, signal) =>
      served(path, signal, (watched) => receiveFile(blob(path), { path, file, must_state_hash: false }, watched)),

    signedUrl: (path, shown_as) => mapToBlobFault(path, async () => signedUrl(path, shown_as)),

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
      mapToBlobFault(prefix, async () => {
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
