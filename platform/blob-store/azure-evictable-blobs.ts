import { stat } from 'node:fs/promises';
import { BlobServiceClient, RestError } from '@azure/storage-blob';
import { type BlobSettings, RETRY_OPTIONS } from './azure-blob-store.ts';
import { mapToBlobFault, mapToStoreFault } from './azure-faults.ts';
import { receiveFile, sendNewFile } from './azure-files.ts';
import { removeBlob } from './azure-remove.ts';
import type { EvictableBlobs, ListPage } from './evictable-blobs.ts';
import { hashOfFile } from './file-hash.ts';

const MAX_OF_A_PAGE = 5_000;

/** A prefix without blobs: listing it is the cheapest request that all our credentials allow. */
const NO_PATH = 'clock/';

const isThereAlready = (error: unknown): boolean =>
  error instanceof RestError && (error.statusCode === 409 || error.statusCode === 412);

const firstOf = async <P>(pages: AsyncIterableIterator<P>): Promise<P | null> => {
  const { value, done } = await pages.next();
  return done === true ? null : value;
};

const pageFrom = (from: string | null, count: number = MAX_OF_A_PAGE) => ({
  maxPageSize: count,
  ...(from === null ? {} : { continuationToken: from }),
});

const pageOf = <A>(found: readonly A[], next: string | undefined): ListPage<A> => ({
  found,
  next: next === undefined || next === '' ? null : next,
});

export const openEvictableBlobs = (settings: Pick<BlobSettings, 'connection_string' | 'container'>): EvictableBlobs => {
  const opened = (retryOptions: { readonly maxTries: number }) =>
    BlobServiceClient.fromConnectionString(settings.connection_string, { retryOptions }).getContainerClient(
      settings.container,
    );
  /** Tries once, because a render continues without a blob that is not available at once. */
  const hurried = opened({ maxTries: 1 });
  /** Retries, because a failed delete leaves the blob until the next sweep. */
  const patient = opened(RETRY_OPTIONS);
  const blob = (path: string) => hurried.getBlockBlobClient(path);

  return {
    putOnce: (path, file, abortSignal) =>
      mapToStoreFault(path, async () => {
        const [{ sha256, md5 }, { size: size_bytes }] = await Promise.all([hashOfFile(file, abortSignal), stat(file)]);
        try {
          const sent = { file, size_bytes, headers: { blobContentMD5: md5 }, metadata: { sha256 } };
          await sendNewFile(blob(path), sent, abortSignal);
          return true;
        } catch (error) {
          if (isThereAlready(error)) return false;
          throw error;
        }
      }),

    fetch: (path, file, abortSignal) =>
      mapToStoreFault(path, async () => {
        const unwatched = { abortSignal, reportProgress: () => undefined };
        await receiveFile(blob(path), { path, file, must_state_hash: true }, unwatched);
      }),

    exists: (path, abortSignal) => mapToBlobFault(path, () => blob(path).exists({ abortSignal })),

    remove: (path, abortSignal) =>
      mapToBlobFault(path, async () => {
        await removeBlob(patient.getBlobClient(path), abortSignal);
      }),

    list: (prefix, from, abortSignal, count) =>
      mapToBlobFault(prefix, async () => {
        const pages = patient.listBlobsFlat({ prefix, abortSignal });
        const page = await firstOf(pages.byPage(pageFrom(from, count)));
        const found = (page?.segment.blobItems ?? []).map(({ name, properties }) => ({
          path: name,
          size_bytes: properties.contentLength ?? 0,
          stored_at: properties.lastModified.getTime(),
        }));
        return pageOf(found, page?.continuationToken);
      }),

    now: (abortSignal) =>
      mapToBlobFault(NO_PATH, async () => {
        const pages = patient.listBlobsFlat({ prefix: NO_PATH, abortSignal });
        const date = (await firstOf(pages.byPage(pageFrom(null, 1))))?.date;
        if (date === undefined) throw new Error('the blob store answers without a Date');
        return date.getTime();
      }),

    folders: (prefix, from, abortSignal) =>
      mapToBlobFault(prefix, async () => {
        const pages = patient.listBlobsByHierarchy('/', { prefix, abortSignal });
        const page = await firstOf(pages.byPage(pageFrom(from)));
        return pageOf(
          (page?.segment.blobPrefixes ?? []).map(({ name }) => name),
          page?.continuationToken,
        );
      }),
  };
};
