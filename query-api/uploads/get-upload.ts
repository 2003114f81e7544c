import * as E from 'fp-ts/lib/Either.js';
import { type FindUploadDependencies, findUpload } from '../../catalogue/uploads/find-upload.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { UploadBlobs } from '../../platform/blob-store/upload-blobs.ts';
import { quarantinePath } from '../../schemas/blobs/paths.ts';
import { uploadResource } from '../../schemas/http/public/uploads.ts';
import { notFoundError } from '../absent.ts';

export type GetUploadDependencies = FindUploadDependencies & {
  readonly blobs: Pick<BlobStore, 'signedUrl'>;
  readonly upload_blobs: Pick<UploadBlobs, 'stagedBlocks'>;
};

const THUMBNAIL = { file_name: 'thumbnail.jpg', content_type: 'image/jpeg' };

export const getUpload =
  (parts: GetUploadDependencies): AuthenticatedHandler =>
  async ({ params }, access) => {
    const upload = await findUpload(parts, access, params.id ?? '');
    if (upload === null) return notFoundError('upload', 'id');
    const { account_id, id, state, result } = upload;
    const thumbnail = state === 'ready' ? (result?.thumbnail ?? null) : null;
    const thumbnail_url = thumbnail === null ? null : await parts.blobs.signedUrl(thumbnail, THUMBNAIL);
    const blocks =
      state === 'open' ? { blocks: await parts.upload_blobs.stagedBlocks(quarantinePath(account_id, id)) } : {};
    const body = uploadResource(upload, { thumbnail_url, ...blocks });
    return E.right({ status: 200, body, headers: { 'Cache-Control': 'private, no-store' } });
  };
