import { BlobServiceClient, RestError } from '@azure/storage-blob';
import { type BlobSettings, RETRY_OPTIONS } from './azure-blob-store.ts';
import { mapToBlobFault } from './azure-faults.ts';
import { receiveBytes } from './azure-files.ts';
import { BlobFault } from './blob-store.ts';
import { withIdleTimeout } from './idle-timeout.ts';
import type { VersionedBlobs } from './versioned-blobs.ts';

const IDLE_MS = 15_000;

/** Other answers with 409 or 412 are refusals, such as a legal hold (`BlobImmutableDueToPolicy`) or a lease. */
const UNMET: ReadonlySet<string | undefined> = new Set([
  'BlobAlreadyExists',
  'ConditionNotMet',
  'TargetConditionNotMet',
]);

/** With `If-Match`, some stores answer 404 if the blob is missing. */
const isConditionUnmet = (error: unknown, is_replacement: boolean): boolean =>
  error instanceof RestError && (UNMET.has(error.code) || (is_replacement && error.code === 'BlobNotFound'));

/** Connects at first use. A blob with more than `max_bytes` is `corrupt`. */
export const openVersionedBlobs = (
  { connection_string, container: name }: Pick<BlobSettings, 'connection_string' | 'container'>,
  max_bytes: number,
): VersionedBlobs => {
  const opened = (retryOptions: { readonly maxTries: number }) =>
    BlobServiceClient.fromConnectionString(connection_string, { retryOptions }).getContainerClient(name);
  const container = opened({ maxTries: 1 });
  const blob = (path: string) => container.getBlockBlobClient(path);
  const reading = opened(RETRY_OPTIONS);

  const write = async (path: string, bytes: Buffer, conditions: { ifNoneMatch: '*' } | { ifMatch: string }) =>
    await mapToBlobFault(path, async () => {
      try {
        await withIdleTimeout(IDLE_MS, undefined, ({ abortSignal }) =>
          blob(path).upload(bytes, bytes.length, {
            ...{ abortSignal, conditions },
            blobHTTPHeaders: { blobContentType: 'application/octet-stream' },
          }),
        );
        return true;
      } catch (error) {
        if (isConditionUnmet(error, 'ifMatch' in conditions)) return false;
        throw error;
      }
    });

  return {
    ensureContainer: () =>
      mapToBlobFault(name, async () => {
        await container.createIfNotExists();
      }),

    read: async (path) => {
      try {
        return await mapToBlobFault(path, () =>
          withIdleTimeout(IDLE_MS, undefined, async (watched) => {
            const { bytes, etag } = await receiveBytes(reading.getBlockBlobClient(path), max_bytes, watched);
            if (bytes === null) throw new BlobFault('corrupt', path, `${path} has more than ${max_bytes} bytes`);
            return { bytes, version: etag };
          }),
        );
      } catch (error) {
        if (error instanceof BlobFault && error.tag === 'not_found') return null;
        throw error;
      }
    },

    create: (path, bytes) => write(path, bytes, { ifNoneMatch: '*' }),

    replace: (path, bytes, version) => write(path, bytes, { ifMatch: version }),

    remove: (path) =>
      mapToBlobFault(path, async () => {
        await blob(path).deleteIfExists();
      }),
  };
};
