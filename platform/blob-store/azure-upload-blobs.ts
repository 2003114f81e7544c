import { BlobServiceClient, type BlockBlobClient, RestError } from '@azure/storage-blob';
import { type BlobSettings, RETRY_OPTIONS } from './azure-blob-store.ts';
import { mapToBlobFault } from './azure-faults.ts';
import { receiveFile } from './azure-files.ts';
import { removeBlob } from './azure-remove.ts';
import { writeUrlSigner } from './azure-signed-urls.ts';
import { BlobFault } from './blob-store.ts';
import { withIdleTimeout } from './idle-timeout.ts';
import type { UploadBlobs } from './upload-blobs.ts';

const IDLE_MS = 30_000;
const WRITE_URL_LIFETIME_S = 3_600;
/** Copies within one storage account usually end with the request that starts them. */
const COPY_POLL_MS = 500;

const hasStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof RestError && statuses.includes(error.statusCode ?? 0);

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof RestError && (error.code === code || error.response?.headers.get('x-ms-error-code') === code);

/** Rejects if the copy ended without success. */
const runCopy = async (from: string, version: string, to: BlockBlobClient, abortSignal: AbortSignal): Promise<void> => {
  const poller = await to.beginCopyFromURL(from, {
    ...{ abortSignal, intervalInMs: COPY_POLL_MS, sourceConditions: { ifMatch: version } },
    // Otherwise the copy takes the metadata of the client, such as a wrong hash.
    metadata: { origin: 'upload' },
  });
  const { copyStatus } = await poller.pollUntilDone();
  if (copyStatus !== 'success')
    throw new BlobFault('unavailable', to.name, `the blob store did not copy to ${to.name}: ${copyStatus}`);
};

/** Connects at first use. */
export const openUploadBlobs = (
  settings: Pick<BlobSettings, 'connection_string' | 'container' | 'public_url'>,
): UploadBlobs => {
  const service = BlobServiceClient.fromConnectionString(settings.connection_string, { retryOptions: RETRY_OPTIONS });
  const container = service.getContainerClient(settings.container);
  const blob = (path: string) => container.getBlockBlobClient(path);
  const writeUrl = writeUrlSigner(service, settings, WRITE_URL_LIFETIME_S);
  const inTime = <A>(path: string, request: (abortSignal: AbortSignal) => Promise<A>, signal?: AbortSignal) =>
    mapToBlobFault(path, () => withIdleTimeout(IDLE_MS, signal, ({ abortSignal }) => request(abortSignal)), signal);

  return {
    writeUrl: (path) => mapToBlobFault(path, async () => writeUrl(path)),

    find: (path) =>
      inTime(path, async (abortSignal) => {
        try {
          const { contentLength, etag, blobType, accessTier } = await blob(path).getProperties({ abortSignal });
          const usable = blobType === 'BlockBlob' && accessTier !== 'Archive';
          return { size_bytes: contentLength ?? 0, version: etag ?? '', usable };
        } catch (error) {
          if (hasCode(error, 'BlobNotFound')) return null;
          throw error;
        }
      }),

    stagedBlocks: (path) =>
      inTime(path, async (abortSignal) => {
        try {
          const { uncommittedBlocks = [] } = await blob(path).getBlockList('uncommitted', { abortSignal });
          return uncommittedBlocks.map(({ name, size }) => ({ id: name, size_bytes: size }));
        } catch (error) {
          // A page blob has no blocks.
          if (hasCode(error, 'BlobNotFound') || hasStatus(error, 409)) return [];
          throw error;
        }
      }),

    copy: async (from, version, to, signal) => {
      try {
        await mapToBlobFault(to, () => runCopy(blob(from).url, version, blob(to), signal), signal);
        return true;
      } catch (error) {
        const cause = error instanceof BlobFault ? error.cause : undefined;
        if (hasStatus(cause, 404, 412) && !hasCode(cause, 'ContainerNotFound')) return false;
        throw error;
      }
    },

    download: (path, file, signal) =>
      mapToBlobFault(
        path,
        () =>
          withIdleTimeout(IDLE_MS, signal, (watched) =>
            receiveFile(blob(path), { path, file, must_state_hash: false }, watched),
          ),
        signal,
      ),

    label: (path, sha256, blobContentType, signal) =>
      inTime(
        path,
        async (abortSignal) => {
          await blob(path).setMetadata({ sha256 }, { abortSignal });
          await blob(path).setHTTPHeaders({ blobContentType }, { abortSignal });
        },
        signal,
      ),

    put: (path, bytes, blobContentType, signal) =>
      inTime(
        path,
        async (abortSignal) => {
          await blob(path).uploadData(bytes, { abortSignal, blobHTTPHeaders: { blobContentType } });
        },
        signal,
      ),

    remove: (path) => inTime(path, (abortSignal) => removeBlob(blob(path), abortSignal)),

    list: (prefix) =>
      inTime(prefix, async (abortSignal) => {
        const paths: string[] = [];
        for await (const { name } of container.listBlobsFlat({ prefix, abortSignal })) paths.push(name);
        return paths;
      }),
  };
};
