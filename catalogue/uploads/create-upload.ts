import { createHmac, randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { FILE_FORMATS } from '../../domain/composition/file-forms.ts';
import {
  MAX_FONT_BYTES,
  type StoredTotals,
  UPLOAD_KEPT_MS,
  type UploadLimitFault,
  type UploadLimits,
  type UploadTotals,
  uploadLimitFault,
} from '../../domain/uploads/limits.ts';
import type { Upload } from '../../domain/uploads/upload.ts';
import type { RateLimits } from '../../platform/access/rate-limits.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { UploadBlobs, WriteUrl } from '../../platform/blob-store/upload-blobs.ts';
import type { StoredFiles } from '../../read-models/stored-files/stored-files.ts';
import type { Uploads } from '../../read-models/uploads/uploads.ts';
import { quarantinePath, uploadRecordPath } from '../../schemas/blobs/paths.ts';
import { findUpload, type UploadReach } from './find-upload.ts';

export type CreateUploadDependencies = {
  readonly uploads: Pick<Uploads, 'find' | 'insert' | 'findReady' | 'totals' | 'keep' | 'refetch' | 'remove'>;
  readonly stored_files: Pick<StoredFiles, 'bytesOf'>;
  readonly blobs: Pick<BlobStore, 'readText' | 'writeText' | 'remove'>;
  readonly upload_blobs: Pick<UploadBlobs, 'writeUrl'>;
  /** By account. */
  readonly rate: RateLimits;
  readonly limits: UploadLimits;
  readonly secret: string;
  readonly now: () => number;
};

export type UploadFacts = Pick<Upload, 'team_id' | 'name' | 'content_type' | 'size_bytes' | 'sha256'>;

export type NewUpload = {
  readonly reach: UploadReach;
  readonly facts: UploadFacts;
  readonly idempotency_key: string | null;
};

export type UploadFault =
  | { readonly tag: 'invalid'; readonly param: string; readonly message: string }
  | { readonly tag: 'missing' }
  /** The id or the Idempotency-Key belongs to an upload of other facts. */
  | { readonly tag: 'other_facts' }
  /** `param` is the member of the request that has the size. */
  | { readonly tag: 'too_many'; readonly message: string; readonly retry_after_s: number; readonly param?: string };

/** `write` is null if no bytes are needed. */
export type OfferedUpload = { readonly upload: Upload; readonly write: WriteUrl | null; readonly is_new: boolean };

const ID_DIGITS = 32;
/** Uploads expire or are completed later than this, but a client should look again. */
const RETRY_AFTER_S = 60;

export const uploadIdFor = (secret: string, account_id: string, key: string | null): string => {
  const digits =
    key === null
      ? randomBytes(ID_DIGITS / 2).toString('hex')
      : createHmac('sha256', secret).update(`upload\0${account_id}\0${key}`).digest('hex').slice(0, ID_DIGITS);
  return `upload_${digits}`;
};

const kindOf = (content_type: string): Upload['kind'] | null =>
  FILE_FORMATS.find((form) => form.content_type === content_type)?.kind ?? null;

const haveSameFacts = (upload: Upload, facts: UploadFacts): boolean =>
  (['team_id', 'name', 'content_type', 'size_bytes', 'sha256'] as const).every((name) => upload[name] === facts[name]);

/** Begins the lifetime of an open upload again. */
const offerAgain = async (
  { uploads, upload_blobs, now }: CreateUploadDependencies,
  upload: Upload,
): Promise<OfferedUpload> => {
  const expires_at = now() + UPLOAD_KEPT_MS.open;
  const is_open = upload.state === 'open' && (await uploads.keep(upload.id, 'open', expires_at));
  if (!is_open) return { upload: (await uploads.find(upload.id)) ?? upload, write: null, is_new: false };
  const write = await upload_blobs.writeUrl(quarantinePath(upload.account_id, upload.id));
  return { upload: { ...upload, expires_at }, write, is_new: false };
};

/** A ready upload with the stated bytes, which is kept for its full time again. */
const findSameBytes = async (
  { uploads, now }: CreateUploadDependencies,
  account_id: string,
  { team_id, sha256, size_bytes }: UploadFacts,
): Promise<Upload | null> => {
  if (sha256 === null) return null;
  const found = await uploads.findReady({ account_id, team_id, sha256, size_bytes });
  if (found === null) return null;
  const expires_at = now() + UPLOAD_KEPT_MS.ready;
  return (await uploads.keep(found.id, 'ready', expires_at)) ? { ...found, expires_at } : null;
};

export const limitFault = (
  { of, message }: UploadLimitFault,
  { fetch }: Pick<Upload, 'fetch'>,
  retry_after_s: number,
): UploadFault => {
  const param = fetch === undefined ? 'size_bytes' : 'url';
  return of === 'count'
    ? { tag: 'too_many', message, retry_after_s }
    : { tag: 'too_many', message: `${param}: ${message}`, retry_after_s, param };
};

/** @param more a new upload, which is not stored yet */
export const storedTotals = async (
  {
    uploads,
    stored_files,
  }: Pick<CreateUploadDependencies, 'stored_files'> & { readonly uploads: Pick<Uploads, 'totals'> },
  account_id: string,
  more: UploadTotals = [],
): Promise<StoredTotals> => {
  const [totals, project_bytes] = await Promise.all([uploads.totals(account_id), stored_files.bytesOf(account_id)]);
  return { uploads: [...totals, ...more], project_bytes };
};

/** Stores the upload, and takes it back if the account then exceeds a limit: concurrent requests cannot exceed it. */
export const storeUpload = async (
  parts: CreateUploadDependencies,
  upload: Upload,
): Promise<E.Either<UploadFault, boolean>> => {
  const { uploads, blobs, limits } = parts;
  const { id, account_id, state, size_bytes: bytes } = upload;
  const before = uploadLimitFault(await storedTotals(parts, account_id, [{ state, count: 1, bytes }]), limits);
  if (before !== null) return E.left(limitFault(before, upload, RETRY_AFTER_S));
  await blobs.writeText(uploadRecordPath(account_id, id), JSON.stringify(upload));
  if (!(await uploads.insert(upload))) return E.right(false);
  const after = uploadLimitFault(await storedTotals(parts, account_id), limits);
  if (after === null) return E.right(true);
  await uploads.remove(id);
  await blobs.remove(uploadRecordPath(account_id, id));
  return E.left(limitFault(after, upload, RETRY_AFTER_S));
};

/** Counts a new upload of the account. Null if it is within the limit. */
export const uploadRateFault = async (
  { rate }: Pick<CreateUploadDependencies, 'rate'>,
  account_id: string,
): Promise<UploadFault | null> => {
  const { allowed, retry_after_s } = await rate(account_id);
  return allowed ? null : { tag: 'too_many', message: 'too many uploads of this account at once', retry_after_s };
};

const sizeFault = (kind: Upload['kind'], { size_bytes }: UploadFacts): string | null =>
  kind === 'font' && size_bytes > MAX_FONT_BYTES ? 'must be at most 67108864 for a font (64 MiB)' : null;

/** Offers a URL to write the bytes, unless the team has them already. Rejects on outage before it changes anything. */
export const createUpload = async (
  parts: CreateUploadDependencies,
  { reach, facts, idempotency_key }: NewUpload,
): Promise<E.Either<UploadFault, OfferedUpload>> => {
  const { account_id } = reach;
  const kind = kindOf(facts.content_type);
  if (kind === null) return E.left({ tag: 'invalid', param: 'content_type', message: 'is not supported' });
  const size_fault = sizeFault(kind, facts);
  if (size_fault !== null) return E.left({ tag: 'invalid', param: 'size_bytes', message: size_fault });
  const id = uploadIdFor(parts.secret, account_id, idempotency_key);
  if (idempotency_key !== null) {
    const before = await parts.uploads.find(id);
    if (before !== null && !haveSameFacts(before, facts)) return E.left({ tag: 'other_facts' });
    if (before !== null) return E.right(await offerAgain(parts, before));
  }
  const too_many = await uploadRateFault(parts, account_id);
  if (too_many !== null) return E.left(too_many);
  const same = await findSameBytes(parts, account_id, facts);
  if (same !== null) return E.right({ upload: same, write: null, is_new: false });
  const now = parts.now();
  const upload: Upload = {
    ...{ id, account_id, ...facts, kind, state: 'open', created_at: now, updated_at: now },
    ...{ expires_at: now + UPLOAD_KEPT_MS.open, queued_at: null, result: null, faults: [] },
  };
  const stored = await storeUpload(parts, upload);
  if (E.isLeft(stored)) return stored;
  // Another request with the same key came first.
  if (!stored.right) return createUpload(parts, { reach, facts, idempotency_key });
  const write = await parts.upload_blobs.writeUrl(quarantinePath(account_id, id));
  return E.right({ upload, write, is_new: true });
};

/** Offers a fresh URL for an upload that is open. */
export const renewUpload = async (
  parts: CreateUploadDependencies,
  reach: UploadReach,
  id: string,
  facts: Partial<UploadFacts>,
): Promise<E.Either<UploadFault, OfferedUpload>> => {
  const upload = await findUpload(parts, reach, id);
  if (upload === null) return E.left({ tag: 'missing' });
  if (!haveSameFacts(upload, { ...upload, ...facts })) return E.left({ tag: 'other_facts' });
  return E.right(await offerAgain(parts, upload));
};
