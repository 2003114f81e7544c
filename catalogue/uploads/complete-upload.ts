import * as E from 'fp-ts/lib/Either.js';
import { UPLOAD_KEPT_MS } from '../../domain/uploads/limits.ts';
import type { Upload } from '../../domain/uploads/upload.ts';
import type { QuarantinedBlob, UploadBlobs } from '../../platform/blob-store/upload-blobs.ts';
import type { Uploads } from '../../read-models/uploads/uploads.ts';
import { quarantinePath } from '../../schemas/blobs/paths.ts';
import { type FindUploadDependencies, findUpload, type UploadReach } from './find-upload.ts';

export type CompleteUploadDependencies = FindUploadDependencies & {
  readonly uploads: Pick<Uploads, 'queue'>;
  readonly upload_blobs: Pick<UploadBlobs, 'find' | 'remove'>;
};

export type CompleteUploadFault =
  | { readonly tag: 'missing' }
  /** The message says what the client must do before it completes the upload. */
  | { readonly tag: 'incomplete'; readonly message: string };

const blobFault = ({ size_bytes }: Upload, blob: QuarantinedBlob | null): string | null => {
  if (blob === null)
    return 'no bytes are stored yet: write them to upload_url, commit the list of blocks, and complete the upload then';
  if (!blob.usable)
    return 'the bytes are not stored as a plain block blob: write them again, without a copy source, an archive tier or encryption headers';
  if (blob.size_bytes === size_bytes) return null;
  return blob.size_bytes > size_bytes
    ? `${blob.size_bytes} bytes were stored, and size_bytes is ${size_bytes}: they are deleted; write the right ones, or create an upload of the right size`
    : `${blob.size_bytes} bytes are stored, and size_bytes is ${size_bytes}: write them again, or create an upload of the right size`;
};

/** Queues the bytes for inspection. A repeat returns the upload as it is. Rejects on outage before any change. */
export const completeUpload = async (
  parts: CompleteUploadDependencies,
  reach: UploadReach,
  id: string,
): Promise<E.Either<CompleteUploadFault, Upload>> => {
  const upload = await findUpload(parts, reach, id);
  if (upload === null) return E.left({ tag: 'missing' });
  if (upload.state !== 'open') return E.right(upload);
  const path = quarantinePath(upload.account_id, id);
  const blob = await parts.upload_blobs.find(path);
  const fault = blobFault(upload, blob);
  // The signed URL does not limit what a client stores. The version keeps bytes that a client writes meanwhile.
  if (blob !== null && blob.size_bytes > upload.size_bytes) await parts.upload_blobs.remove(path, blob.version);
  if (fault !== null) return E.left({ tag: 'incomplete', message: fault });
  const now = parts.now();
  // False if a concurrent request queued it.
  await parts.uploads.queue(id, now, now + UPLOAD_KEPT_MS.queued);
  const queued = await parts.uploads.find(id);
  return queued === null ? E.left({ tag: 'missing' }) : E.right(queued);
};
