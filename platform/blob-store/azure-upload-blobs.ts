import { BlobServiceClient } from '@azure/storage-blob';
import { type BlobSettings, RETRY_OPTIONS } from './azure-blob-store.ts';
import { copyBlob } from './azure-copy.ts';
import { hasBlobStatus, hasErrorCode, isSourceRefused } from './azure-errors.ts';
import { mapToBlobFault } from './azure-faults.ts';
import { receiveFile } from './azure-files.ts';
import { removeBlob } from './azure-remove.ts';
import { writeUrlSigner } from './azure-signed-urls.ts';
import { openStagedBlocks } from './azure-staged-blocks.ts';
import { BlobFault } from './blob-store.ts';
import { withIdleTimeout } from './idle-timeout.ts';
import type { UploadBlobs } from './upload-blobs.ts';

const IDLE_MS = 30_000;
const WRITE_URL_LIFETIME_S = 3_600;

const OTHER_KEY = 'BlobUsesCustomerSpecifiedEncryption';

/** Connects at first use. */
export const openUploadBlobs = (
  settings: Pick<BlobSettings, 'connection_string' | 'container' | 'public_url'>,
  max_list_characters?: number,
): UploadBlobs => {
  const service = BlobServiceClient.fromConnectionString(settings.connection_string, { retryOptions: RETRY_OPTIONS });
  const container = service.getContainerClient(settings.container);
  const stagedBlocks = openStagedBlocks(settings, max_list_characters);
  const blob = (path: string) => container.getBlockBlobClient(path);
  const writeUrl = writeUrlSigner(service, settings, WRITE_URL_LIFETIME_S);
  const inTime = <A>(path: string, request: (abortSignal: AbortSignal) => Promise<A>, signal?: AbortSignal) =>
    mapToBlobFault(path, () => withIdleTimeout(IDLE_MS, signal, ({ abortSignal }) => request(abortSignal)), signal);

  return {
    writeUrl: (path) => mapToBlobFault(path, async () => writeUrl(path)),

    find: (path) =>
      inTime(path, async (abortSignal) => {
        try {
          const found = await blob(path).getProperties({ abortSignal });
          const { contentLength, etag, blobType, accessTier, encryptionKeySha256, copyId } = found;
          const is_plain = blobType === 'BlockBlob' && accessTier !== 'Archive' && encryptionKeySha256 === undefined;
          // Azurite lets the signed URL copy every blob of its account, such as files of other accounts.
          return { size_bytes: contentLength ?? 0, version: etag ?? '', usable: is_plain && copyId === undefined };
        } catch (error) {
          if (hasErrorCode(error, 'BlobNotFound')) return null;
          if (hasErrorCode(error, OTHER_KEY)) return { size_bytes: 0, version: '', usable: false };
          throw error;
        }
      }),

    stagedBlocks: (path) => inTime(path, (abortSignal) => stagedBlocks(path, abortSignal)),

    copy: async (from, version, to, signal) => {
      try {
        const options = {
          ...{ abortSignal: signal, sourceConditions: { ifMatch: version } },
          // Otherwise the copy takes the metadata of the client, such as a wrong hash.
          metadata: { origin: 'upload' },
        };
        await mapToBlobFault(to, () => copyBlob(blob(from), blob(to), options), signal);
        return 'copied';
      } catch (error) {
        const cause = error instanceof BlobFault ? error.cause : undefined;
        if (hasBlobStatus(cause, 404, 412) && !hasErrorCode(cause, 'ContainerNotFound')) return 'changed';
        if (isSourceRefused(cause)) return 'refused';
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

    remove: async (path, version) => {
      try {
        await inTime(path, (abortSignal) => removeBlob(blob(path), abortSignal, version));
      } catch (error) {
        const is_other = version !== undefined && error instanceof BlobFault && hasBlobStatus(error.cause, 412);
        if (!is_other) throw error;
      }
    },

    list: (prefix) =>
      inTime(prefix, async (abortSignal) => {
        const paths: string[] = [];
        for await (const { name } of container.listBlobsFlat({ prefix, abortSignal })) paths.push(name);
        return paths;
      }),
  };
};
