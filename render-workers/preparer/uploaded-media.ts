import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { RemoteMedia } from '../../domain/composition/remote-media.ts';
import type { Render } from '../../domain/render/render.ts';
import type { Upload } from '../../domain/uploads/upload.ts';
import { uploadValueFault } from '../../domain/uploads/value-fault.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { isProgrammingError } from '../../platform/process/programming-error.ts';
import type { Uploads } from '../../read-models/uploads/uploads.ts';
import type { FetchedMediaFile, FetchJob } from './media-fetcher.ts';
import { type PreparationFault, TransientFault } from './preparation-fault.ts';

export type UploadedMediaDependencies = {
  readonly uploads: Pick<Uploads, 'find'>;
  readonly blobs: Pick<BlobStore, 'download'>;
};

type Download = Pick<FetchJob, 'folder' | 'meter' | 'signal'>;

const findUpload = async ({ uploads }: UploadedMediaDependencies, id: string): Promise<Upload | null> => {
  try {
    return await uploads.find(id);
  } catch (error) {
    if (isProgrammingError(error)) throw error;
    throw new TransientFault('the uploads of the values cannot be read', 'read_model');
  }
};

/** The file of a ready upload of the render's team. */
const uploadedFile = async (
  parts: UploadedMediaDependencies,
  { account_id, team_id }: Pick<Render, 'account_id' | 'team_id'>,
  media: readonly RemoteMedia[],
  file: string,
  { meter, signal }: Download,
): Promise<E.Either<PreparationFault, FetchedMediaFile>> => {
  const upload = await findUpload(parts, media[0]?.url ?? '');
  const is_own = upload?.account_id === account_id && upload.team_id === team_id;
  const found = is_own && upload.state === 'ready' ? upload : null;
  for (const one of media) {
    const message = uploadValueFault(one, found);
    const field = `values.${one.field}`;
    if (message !== null) return E.left({ code: 'media_upload', message: `${field}: ${message}`, field });
  }
  const { sha256, size_bytes } = await parts.blobs.download(found?.result?.path ?? '', file, signal);
  meter.addFetchedBytes(size_bytes);
  return E.right({ media, file, sha256 });
};

/** The files of values that name uploads, one after the other. Rejects with `BlobFault`, or on a store outage. */
export const uploadedFiles = async (
  parts: UploadedMediaDependencies,
  render: Pick<Render, 'account_id' | 'team_id'>,
  uploaded: readonly RemoteMedia[],
  download: Download,
): Promise<E.Either<PreparationFault, readonly FetchedMediaFile[]>> => {
  const files: FetchedMediaFile[] = [];
  for (const media of Map.groupBy(uploaded, ({ url }) => url).values()) {
    const file = await uploadedFile(parts, render, media, join(download.folder, `uploaded-${files.length}`), download);
    if (E.isLeft(file)) return file;
    files.push(file.right);
  }
  return E.right(files);
};
