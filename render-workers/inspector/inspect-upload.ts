import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { MediaSummary, Upload, UploadOutcome } from '../../domain/uploads/upload.ts';
import type { EngineFault } from '../../engine/process/engine-fault.ts';
import type { UploadBlobs } from '../../platform/blob-store/upload-blobs.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { quarantinePath, uploadBytesPath } from '../../schemas/blobs/paths.ts';
import { requireFreeSpace } from '../environment/infrastructure-fault.ts';
import type { WorkFolder } from '../local-files/work-folder.ts';
import { type InspectedFile, messageAboutFile } from './inspect-file.ts';

export type InspectUploadDependencies = {
  readonly upload_blobs: Pick<UploadBlobs, 'find' | 'copy' | 'download' | 'label' | 'put'>;
  readonly folder: Pick<WorkFolder, 'render'>;
  readonly inspect: (
    kind: Upload['kind'],
    path: string,
    signal: AbortSignal,
  ) => Promise<E.Either<EngineFault, InspectedFile>>;
  /** Null if the file has no picture. */
  readonly draw: (
    upload: Upload,
    file: { readonly path: string; readonly sha256: string; readonly media: MediaSummary },
    work_dir: string,
    signal: AbortSignal,
  ) => Promise<Buffer | null>;
};

/** The machine is at fault, so a later inspection may succeed. */
export class InspectionInterrupted extends Error {
  override readonly name = 'InspectionInterrupted';
}

const COPY_TRIES = 3;
/** Kept free on the disk beside the file, for stills and what decoders write. */
const SPARE_BYTES = 2 ** 30;

const refused = (fault: string): UploadOutcome => ({ result: null, faults: [fault] });

const UNUSABLE =
  'is not stored as a plain block blob: upload the file again, without a copy source, an archive tier or encryption headers';

type Copied = { readonly path: string } | { readonly fault: string };

/**
 * Copies the bytes to a path that no client can write. The inspection never reads the quarantine, because a client can
 * change it at any time.
 */
const copyOut = async (
  { id, account_id, size_bytes, fetch }: Upload,
  { find, copy }: InspectUploadDependencies['upload_blobs'],
  signal: AbortSignal,
): Promise<Copied> => {
  // Each attempt has its own copy of fetched bytes too, because an attempt that lost its claim deletes its copy.
  const from = fetch?.path ?? quarantinePath(account_id, id);
  const path = uploadBytesPath(account_id, id, mintUlid());
  for (let tries = 0; tries < COPY_TRIES; tries += 1) {
    const blob = await find(from);
    if (blob === null) return { fault: 'the bytes are gone: upload the file again' };
    if (!blob.usable) return { fault: UNUSABLE };
    if (blob.size_bytes !== size_bytes)
      return {
        fault: `has ${blob.size_bytes} bytes, and size_bytes is ${size_bytes}: create an upload of the right size`,
      };
    const copied = await copy(from, blob.version, path, signal);
    if (copied === 'copied') return { path };
    if (copied === 'refused') return { fault: UNUSABLE };
  }
  return { fault: 'was changed while it was copied: upload the file again, and do not write it after complete' };
};

const faultOf = (fault: EngineFault, kind: Upload['kind']): string => {
  if (fault.tag === 'composition') return messageAboutFile(fault.message, kind);
  throw new InspectionInterrupted('message' in fault ? fault.message : fault.tag);
};

const inspectCopy = async (
  upload: Upload,
  path: string,
  own: string,
  { upload_blobs, inspect, draw }: InspectUploadDependencies,
  signal: AbortSignal,
): Promise<UploadOutcome> => {
  const file = join(own, 'file');
  const { sha256, size_bytes } = await upload_blobs.download(path, file, signal);
  if (upload.sha256 !== null && upload.sha256 !== sha256)
    return refused(`has the SHA-256 ${sha256}, and not ${upload.sha256}: upload the file again, or leave out sha256`);
  const inspected = await inspect(upload.kind, file, signal);
  signal.throwIfAborted();
  if (E.isLeft(inspected)) return refused(faultOf(inspected.left, upload.kind));
  const { media, font_covers } = inspected.right;
  await upload_blobs.label(path, sha256, upload.content_type, signal);
  const picture = await draw(upload, { path: file, sha256, media }, own, signal);
  signal.throwIfAborted();
  const thumbnail = picture === null ? null : `${path}.jpg`;
  if (picture !== null && thumbnail !== null) await upload_blobs.put(thumbnail, picture, 'image/jpeg', signal);
  return { result: { path, sha256, size_bytes, media, thumbnail, font_covers }, faults: [] };
};

/**
 * Decides whether a project may use the file. Rejects with `BlobFault`, `InspectionInterrupted` or a fault of the disk,
 * and with the reason of `signal`.
 */
export const inspectUpload = async (
  upload: Upload,
  parts: InspectUploadDependencies,
  signal: AbortSignal,
): Promise<UploadOutcome> => {
  const copied = await copyOut(upload, parts.upload_blobs, signal);
  if ('fault' in copied) return refused(copied.fault);
  const own = await parts.folder.render('upload');
  try {
    await requireFreeSpace(own, async () => undefined, upload.size_bytes + SPARE_BYTES);
    return await inspectCopy(upload, copied.path, own, parts, signal);
  } finally {
    await rm(own, { recursive: true, force: true, maxRetries: 5 });
  }
};
