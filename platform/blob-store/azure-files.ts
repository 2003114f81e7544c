import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, type ReadStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BlobHTTPHeaders, BlockBlobClient } from '@azure/storage-blob';
import pLimit from 'p-limit';
import { mintUlid } from '../identity/mint-ulid.ts';
import { BlobFault, type StoredFile } from './blob-store.ts';
import type { WatchedRequest } from './idle-timeout.ts';

/** Larger files than `one_request_bytes` are sent in blocks. */
const SIZES = { one_request_bytes: 256 * 1024 * 1024, block_bytes: 8 * 1024 * 1024 };
const BLOCKS_AT_ONCE = 2;

/** Tracks the streams of the request bodies, because the client leaves the stream of an aborted request open. */
const bodiesOf = (file: string) => {
  const open = new Set<ReadStream>();
  return {
    body: (start: number, bytes: number) => (): ReadStream => {
      const stream = createReadStream(file, bytes === 0 ? {} : { start, end: start + bytes - 1 });
      open.add(stream);
      return stream.once('close', () => open.delete(stream));
    },
    close: (): void => {
      for (const stream of open) stream.destroy();
    },
  };
};

export type FileUpload = {
  readonly file: string;
  readonly size_bytes: number;
  readonly headers: BlobHTTPHeaders;
  readonly metadata: Record<string, string>;
};

/** Closes all streams when it rejects. */
export const sendFile = async (
  blob: BlockBlobClient,
  { file, size_bytes, headers: blobHTTPHeaders, metadata }: FileUpload,
  { abortSignal, reportProgress: onProgress }: WatchedRequest,
  { one_request_bytes, block_bytes } = SIZES,
): Promise<void> => {
  const { body, close } = bodiesOf(file);
  const stored = { abortSignal, blobHTTPHeaders, metadata };
  try {
    if (size_bytes <= one_request_bytes) {
      await blob.upload(body(0, size_bytes), size_bytes, { ...stored, onProgress });
      return;
    }
    const upload_id = randomUUID();
    const blocks = Array.from({ length: Math.ceil(size_bytes / block_bytes) }, (_, n) => ({
      id: Buffer.from(`${upload_id}-${String(n).padStart(6, '0')}`).toString('base64'),
      start: n * block_bytes,
      bytes: Math.min(block_bytes, size_bytes - n * block_bytes),
    }));
    await pLimit(BLOCKS_AT_ONCE).map(blocks, async ({ id, start, bytes }) => {
      abortSignal.throwIfAborted();
      await blob.stageBlock(id, body(start, bytes), bytes, { abortSignal, onProgress });
    });
    const ids = blocks.map(({ id }) => id);
    await blob.commitBlockList(ids, stored);
  } finally {
    close();
  }
};

/** Like `sendFile` in one request. Rejects with the store's refusal if the path already has a blob. */
export const sendNewFile = async (
  blob: BlockBlobClient,
  { file, size_bytes, headers, metadata }: FileUpload,
  abortSignal: AbortSignal,
): Promise<void> => {
  const { body, close } = bodiesOf(file);
  const conditions = { ifNoneMatch: '*' };
  try {
    await blob.upload(body(0, size_bytes), size_bytes, { abortSignal, blobHTTPHeaders: headers, metadata, conditions });
  } finally {
    close();
  }
};

const receiveInto = async (
  blob: BlockBlobClient,
  path: string,
  file: string,
  { abortSignal, reportProgress }: WatchedRequest,
): Promise<StoredFile & { readonly stated_sha256: string | undefined }> => {
  const { metadata, readableStreamBody } = await blob.download(0, undefined, { abortSignal });
  if (readableStreamBody === undefined)
    throw new BlobFault('unavailable', path, `the blob store returned ${path} without a body`);
  const hash = createHash('sha256');
  let size_bytes = 0;
  const hashing = new Transform({
    transform: (chunk, _encoding, pass) => {
      reportProgress();
      hash.update(chunk);
      size_bytes += chunk.length;
      pass(null, chunk);
    },
  });
  await pipeline(readableStreamBody, hashing, createWriteStream(file, { flags: 'wx' }), { signal: abortSignal });
  return { sha256: hash.digest('hex'), size_bytes, stated_sha256: metadata?.sha256 };
};

/** The local file is complete or absent. `corrupt`: the blob states another hash, or lacks a required one. */
export const receiveFile = async (
  blob: BlockBlobClient,
  { path, file, must_state_hash }: { readonly path: string; readonly file: string; readonly must_state_hash: boolean },
  watched: WatchedRequest,
): Promise<StoredFile> => {
  const partial = `${file}.${mintUlid()}.partial`;
  try {
    const { sha256, size_bytes, stated_sha256 } = await receiveInto(blob, path, partial, watched);
    if (stated_sha256 === undefined ? must_state_hash : stated_sha256 !== sha256)
      throw new BlobFault('corrupt', path, `${path} is corrupt: its hash differs`);
    await rename(partial, file);
    return { size_bytes, sha256 };
  } finally {
    await rm(partial, { force: true });
  }
};

export const receiveBytes = async (
  blob: BlockBlobClient,
  most_bytes: number,
  { abortSignal, reportProgress }: WatchedRequest,
): Promise<{
  readonly bytes: Buffer | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly etag: string;
}> => {
  const answer = await blob.download(0, undefined, { abortSignal });
  const { metadata = {}, etag = '', contentLength = 0, readableStreamBody } = answer;
  const chunks: Buffer[] = [];
  if (contentLength > most_bytes) {
    // Without a reader, the connection would stay open.
    if (readableStreamBody instanceof Readable) readableStreamBody.destroy();
    return { bytes: null, metadata, etag };
  }
  if (readableStreamBody !== undefined) {
    const collect = new Writable({
      write: (chunk, _encoding, done) => {
        reportProgress();
        chunks.push(chunk);
        done();
      },
    });
    await pipeline(readableStreamBody, collect, { signal: abortSignal });
  }
  return { bytes: Buffer.concat(chunks), metadata, etag };
};
