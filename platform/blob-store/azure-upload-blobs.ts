import { BlobServiceClient, RestError } from '@azure/storage-blob';
import { type BlobSettings, RETRY_OPTIONS } from './azure-blob-store.ts';
import { copyBlob } from './azure-copy.ts';
import { hasErrorCode } from './azure-errors.ts';
import { mapToBlobFault } from './azure-faults.ts';
import { receiveFile } from './azure-files.ts';
import { removeBlob } from './azure-remove.ts';
import { writeUrlSigner } from './azure-signed-urls.ts';
import { BlobFault } from './blob-store.ts';
import { withIdleTimeout } from './idle-timeout.ts';
import type { UploadBlobs } from './upload-blobs.ts';

const IDLE_MS = 30_000;
const WRITE_URL_LIFETIME_S = 3_600;

const hasStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof RestError && statuses.includes(error.statusCode ?? 0);

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
          if (hasErrorCode(error, 'BlobNotFound')) return null;
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
          if (hasErrorCode(error, 'BlobNotFound') || hasStatus(error, 409)) return [];
          throw error;
        }
      }),

    copy: async (from, version, to, signal) => {
      try {
        const options = {
          ...{ abortSignal: signal, sourceConditions: { ifMatch: version } },
          // Otherwise the copy takes the metadata of the client, such as a wrong hash.
          metadata: { origin: 'upload' },
        };
        await mapToBlobFault(to, () => copyBlob(blob(from), blob(to), options), signal);
        return true;
      } catch (error) {
        const cause = error instanceof BlobFault ? error.cause : undefined;
        if (hasStatus(cause, 404, 412) && !hasErrorCode(cause, 'ContainerNotFound')) return false;
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
