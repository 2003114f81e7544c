import { Upload } from '../../domain/uploads/upload.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Uploads } from '../../read-models/uploads/uploads.ts';
import { decodeJsonText } from '../../schemas/blobs/decoded-text.ts';
import { uploadRecordPath } from '../../schemas/blobs/paths.ts';

export type FindUploadDependencies = {
  readonly uploads: Pick<Uploads, 'find' | 'insert'>;
  readonly blobs: Pick<BlobStore, 'readText'>;
  readonly now: () => number;
};

/** The account, and the teams that the caller reaches. */
export type UploadReach = {
  readonly account_id: string;
  readonly teams: Pick<ReadonlyMap<string, unknown>, 'has'>;
};

/** Other texts could lead to other paths in the blob store. */
const UPLOAD_ID = /^upload_[0-9a-f]{32}$/;

/**
 * The record in the blob store outlives the document if the store is restored from a backup. The upload is then open
 * again, unless its outcome was decided.
 */
const restored = async (
  { uploads, blobs, now }: FindUploadDependencies,
  account_id: string,
  id: string,
): Promise<Upload | null> => {
  const text = await blobs.readText(uploadRecordPath(account_id, id));
  const upload = text === null ? null : decodeJsonText(Upload, text);
  if (upload === null || upload.id !== id || upload.account_id !== account_id || upload.expires_at < now()) return null;
  return (await uploads.insert(upload)) ? upload : await uploads.find(id);
};

/** Null if the caller does not reach it. Rejects on outage of the store or the blob store. */
export const findUpload = async (
  parts: FindUploadDependencies,
  { account_id, teams }: UploadReach,
  id: string,
): Promise<Upload | null> => {
  if (!UPLOAD_ID.test(id)) return null;
  const upload = (await parts.uploads.find(id)) ?? (await restored(parts, account_id, id));
  return upload !== null && upload.account_id === account_id && teams.has(upload.team_id) ? upload : null;
};
