import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { contentTypeOfFormat } from '../../domain/composition/file-forms.ts';
import {
  FETCH_IDLE_MS,
  FETCH_WITHIN_MS,
  MAX_FETCHED_BYTES,
  MAX_REDIRECTS,
} from '../../domain/composition/remote-media.ts';
import type { Upload } from '../../domain/uploads/upload.ts';
import { signatureOf } from '../../engine/media/file-signature.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { Fetcher } from '../../platform/outbound/https-fetch.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { type RetryPolicy, SHORT_RETRY_POLICY } from '../../platform/process/retry.ts';
import { uploadBytesPath } from '../../schemas/blobs/paths.ts';
import { requireFreeSpace } from '../environment/infrastructure-fault.ts';
import { fetchWithRetries } from '../fetching/fetch-with-retries.ts';
import type { WorkFolder } from '../local-files/work-folder.ts';
import { InspectionInterrupted } from './inspect-upload.ts';

export type FetchUploadDependencies = Pick<Fetcher, 'fetchFile'> & {
  readonly blobs: Pick<BlobStore, 'upload'>;
  readonly folder: Pick<WorkFolder, 'render'>;
  readonly clock: Pick<Clock, 'sleep' | 'after'>;
  readonly policy?: RetryPolicy;
};

/** `path` is a blob that no client can write. */
export type FetchedBytes = { readonly path: string; readonly size_bytes: number; readonly content_type: string };

export type FetchOutcome = FetchedBytes | { readonly fault: string };

/** Kept free on the disk beside the file. */
const SPARE_BYTES = 2 ** 30;
const LATE = `could not be fetched. It took longer than ${FETCH_WITHIN_MS / 1_000} s.`;

/** Fetches the file into the folder. A fault contains no URL, because URLs can be secret. */
const fetchInto = async (
  own: string,
  { kind }: Upload,
  url: string,
  { fetchFile, clock, policy = SHORT_RETRY_POLICY }: FetchUploadDependencies,
  stop: AbortSignal,
): Promise<{ readonly file: string; readonly content_type: string } | { readonly fault: string }> => {
  const file = join(own, 'fetched');
  const late = new AbortController();
  const cancel = clock.after(FETCH_WITHIN_MS, () => late.abort());
  const signal = AbortSignal.any([stop, late.signal]);
  try {
    const request = {
      ...{ url, file, most_bytes: MAX_FETCHED_BYTES[kind], timeout_ms: FETCH_WITHIN_MS },
      ...{ idle_ms: FETCH_IDLE_MS, most_redirects: MAX_REDIRECTS, signal },
    };
    const result = await fetchWithRetries(() => fetchFile(request), { clock, signal, policy });
    stop.throwIfAborted();
    if (result.tag === 'fetched')
      return { file, content_type: contentTypeOfFormat((await signatureOf(file))?.name ?? '', kind) };
    if (result.code === 'not_stored') throw new InspectionInterrupted(result.message);
    return { fault: late.signal.aborted ? LATE : `could not be fetched. ${result.message}` };
  } finally {
    cancel();
  }
};

/**
 * Brings the bytes of a URL into the blob store. Rejects like `inspectUpload` if the machine or the blob store is at
 * fault.
 */
export const fetchUpload = async (
  upload: Upload,
  parts: FetchUploadDependencies,
  signal: AbortSignal,
): Promise<FetchOutcome> => {
  const url = upload.fetch?.url ?? null;
  if (url === null) return { fault: 'could not be fetched. Its URL is lost: send it again.' };
  const own = await parts.folder.render('fetch');
  try {
    await requireFreeSpace(own, async () => undefined, MAX_FETCHED_BYTES[upload.kind] + SPARE_BYTES);
    const fetched = await fetchInto(own, upload, url, parts, signal);
    if ('fault' in fetched) return fetched;
    const { file, content_type } = fetched;
    const path = uploadBytesPath(upload.account_id, upload.id, mintUlid());
    const { size_bytes } = await parts.blobs.upload(path, file, { content_type, signal });
    return size_bytes === 0
      ? { fault: 'could not be fetched. The file is empty.' }
      : { path, size_bytes, content_type };
  } finally {
    await rm(own, { recursive: true, force: true, maxRetries: 5 });
  }
};
