import {
  BlobServiceClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  RestError,
  SASProtocol,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { BlobSettings } from './azure-blob-store.ts';
import { mapToBlobFault } from './azure-faults.ts';
import { receiveBytes } from './azure-files.ts';
import { BlobFault } from './blob-store.ts';
import { withIdleTimeout } from './idle-timeout.ts';
import type { ProofBlobs, SharedAccess } from './proof-blobs.ts';

type ProofSettings = Pick<BlobSettings, 'connection_string' | 'public_url'> & { readonly container: string };

const IDLE_MS = 15_000;
/** Largest blob to read: a bundle of 256 entries of 64 KiB, with some room. */
const MAX_BYTES = 17 * 1024 * 1024;
/** The SAS is valid from a time before now, for a server whose clock is behind. */
const SAS_BACKDATED_MS = 5 * 60 * 1000;
const READ_AND_LIST = ContainerSASPermissions.from({ read: true, list: true });

const isThereAlready = (error: unknown): boolean =>
  error instanceof RestError && (error.statusCode === 409 || error.statusCode === 412);

const serviceOf = ({ connection_string }: ProofSettings): BlobServiceClient =>
  BlobServiceClient.fromConnectionString(connection_string, { retryOptions: { maxTries: 1 } });

/** No retries: a retry could mistake its own first write for a write of another process. Connects at first use. */
export const openProofBlobs = (settings: ProofSettings): ProofBlobs => {
  const container = serviceOf(settings).getContainerClient(settings.container);
  const blob = (path: string) => container.getBlockBlobClient(path);

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
        if (isThereAlready(error)) return false;
        throw error;
      }
    });

  return {
    ensureContainer: () =>
      mapToBlobFault(settings.container, async () => {
        await container.createIfNotExists();
      }),

    read: async (path) => {
      try {
        return await mapToBlobFault(path, () =>
          withIdleTimeout(IDLE_MS, undefined, async (watched) => {
            const { bytes, etag } = await receiveBytes(blob(path), MAX_BYTES, watched);
            if (bytes === null) throw new BlobFault('corrupt', path, `${path} is larger than any proof`);
            return { bytes, version: etag };
          }),
        );
      } catch (error) {
        if (error instanceof BlobFault && error.tag === 'not_found') return null;
        throw error;
      }
    },

    create: (path, bytes) => write(path, bytes, { ifNoneMatch: '*' }),

    replace: (path, bytes, version) =>
      write(path, bytes, version === null ? { ifNoneMatch: '*' } : { ifMatch: version }),

    remove: (path) =>
      mapToBlobFault(path, async () => {
        await blob(path).deleteIfExists();
      }),
  };
};

/** A SAS that lets outsiders read and list the container. */
export const shareProofs = (settings: ProofSettings, now_ms: number, lifetime_ms: number): SharedAccess => {
  const service = serviceOf(settings);
  const { credential } = service;
  if (!(credential instanceof StorageSharedKeyCredential))
    throw new TypeError('the connection string has no account key to sign with');
  const base = (settings.public_url ?? service.url).replace(/(?<!\/)\/+$/, '');
  const expires_at = new Date(now_ms + lifetime_ms);
  const query = generateBlobSASQueryParameters(
    {
      containerName: settings.container,
      permissions: READ_AND_LIST,
      startsOn: new Date(now_ms - SAS_BACKDATED_MS),
      expiresOn: expires_at,
      ...(base.startsWith('https:') ? { protocol: SASProtocol.Https } : {}),
    },
    credential,
  );
  return { url: `${base}/${settings.container}`, query: query.toString(), expires_at };
};
