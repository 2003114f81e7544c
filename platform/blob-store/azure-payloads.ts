import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import type { BlockBlobClient } from '@azure/storage-blob';
import type { PayloadRef } from '../../domain/event/payload.ts';
import { saltedHash } from '../../schemas/blobs/salted-hash.ts';
import { mintUlid } from '../identity/mint-ulid.ts';
import { receiveBytes } from './azure-files.ts';
import { BlobFault, type BlobStore, type SaltedBytes } from './blob-store.ts';
import type { WatchedRequest } from './idle-timeout.ts';

const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;

/** Runs a request with an idle timeout. Rejects with a `BlobFault`. */
export type RunRequest = <A>(
  path: string,
  signal: AbortSignal | undefined,
  request: (watched: WatchedRequest) => Promise<A>,
) => Promise<A>;

/** `a/b.json` becomes `a/b-<ulid>.json`: every write of a payload has its own path. */
const ownPath = (path: string): string => {
  const extension = posix.extname(path);
  return `${path.slice(0, path.length - extension.length)}-${mintUlid()}${extension}`;
};

type PayloadStore = Pick<BlobStore, 'putPayload' | 'getPayload' | 'getSaltedPayload' | 'writeText' | 'readText'>;

/** Payloads and texts, which fit into memory. */
export const payloadStore = (blob: (path: string) => BlockBlobClient, served: RunRequest): PayloadStore => {
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

    getSaltedPayload,
    getPayload: async (reference, signal) => (await getSaltedPayload(reference, signal)).bytes,

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
  };
};
