import * as E from 'fp-ts/lib/Either.js';
import type { Upload as StoredUpload } from '../../domain/uploads/upload.ts';
import { accountRateFault } from '../../platform/access/account-rate.ts';
import type { RateLimits } from '../../platform/access/rate-limits.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { UploadBlobs } from '../../platform/blob-store/upload-blobs.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import { quarantinePath } from '../../schemas/blobs/paths.ts';
import { type Upload, uploadResource } from '../../schemas/http/public/uploads.ts';
import type { OfferedUpload } from './create-upload.ts';
import type { StartedFetch } from './fetch-upload.ts';

export type ShowUploadDependencies = {
  readonly blobs: Pick<BlobStore, 'signedUrl'>;
  readonly upload_blobs: Pick<UploadBlobs, 'stagedBlocks'>;
  /** Lists of stored blocks, counted for each account. */
  readonly block_lists: RateLimits;
};

const THUMBNAIL = { file_name: 'thumbnail.jpg', content_type: 'image/jpeg' };

/** The upload with its thumbnail, or with its stored blocks while it is open. Rejects on outage of the blob store. */
const shownUpload = async (
  parts: ShowUploadDependencies,
  upload: StoredUpload,
): Promise<E.Either<ApiError, Upload>> => {
  const { account_id, id, state, result } = upload;
  const too_many =
    state === 'open' ? await accountRateFault(parts.block_lists, account_id, 'reads of open uploads') : null;
  if (too_many !== null) return E.left(too_many);
  const thumbnail = state === 'ready' ? (result?.thumbnail ?? null) : null;
  const thumbnail_url = thumbnail === null ? null : await parts.blobs.signedUrl(thumbnail, THUMBNAIL);
  const blocks = state === 'open' ? await parts.upload_blobs.stagedBlocks(quarantinePath(account_id, id)) : null;
  return E.right(uploadResource(upload, { thumbnail_url, ...(blocks !== null && { blocks }) }));
};

export const uploadReply = async (
  parts: ShowUploadDependencies,
  upload: StoredUpload,
): Promise<E.Either<ApiError, Reply>> =>
  E.map((body: Upload) => ({ status: 200, body }))(await shownUpload(parts, upload));

export const offeredReply = ({ upload, write, is_new }: OfferedUpload): Reply => ({
  status: is_new ? 201 : 200,
  body: uploadResource(
    upload,
    write === null ? {} : { upload_url: write.url, upload_url_expires_at: write.expires_at },
  ),
});

export const fetchReply = ({ upload, is_new }: StartedFetch): Reply => ({
  status: is_new ? 202 : 200,
  body: uploadResource(upload, {}),
});

export const completedReply = (upload: StoredUpload): Reply => {
  const body = uploadResource(upload, {});
  return { status: body.status === 'ready' || body.status === 'refused' ? 200 : 202, body };
};
