import { createHmac } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import type { AssetKind } from '../../domain/composition/assets.ts';
import { fileFormatOf } from '../../domain/composition/file-forms.ts';
import { MAX_FETCHED_BYTES } from '../../domain/composition/remote-media.ts';
import { httpsUrlFault } from '../../domain/https-url.ts';
import { nameFault } from '../../domain/shape/text-rules.ts';
import { UPLOAD_KEPT_MS, uploadLimitFault } from '../../domain/uploads/limits.ts';
import type { Upload } from '../../domain/uploads/upload.ts';
import {
  type CreateUploadDependencies,
  limitFault,
  storedTotals,
  storeUpload,
  type UploadFault,
  uploadIdFor,
  uploadRateFault,
} from './create-upload.ts';

/** `name` is null for a name that follows from the URL. */
export type UrlSource = { readonly kind: AssetKind; readonly url: string; readonly name: string | null };

export type UrlUpload = {
  readonly id: string;
  readonly account_id: string;
  readonly team_id: string;
  readonly source: UrlSource;
};

export type StartedFetch = { readonly upload: Upload; readonly is_new: boolean };

/** A request that comes sooner after a failed fetch gets its fault. A later one fetches again. */
export const REFETCH_AFTER_MS = 30_000;

const UNKNOWN_TYPE = 'application/octet-stream';
const MAX_NAME = 200;

const hashOf = (secret: string, ...parts: readonly string[]): string =>
  createHmac('sha256', secret).update(parts.join('\0')).digest('hex');

const DAY_MS = 86_400_000;

/**
 * The upload of a URL in a document: all documents of the team share it until the UTC day ends. So a repeated request
 * finds the same bytes, and a later document gets what the URL then has.
 */
export const urlUploadId = (
  { secret, now }: Pick<CreateUploadDependencies, 'secret' | 'now'>,
  account_id: string,
  team_id: string,
  { kind, url }: UrlSource,
): string => uploadIdFor(secret, account_id, `url\0${team_id}\0${kind}\0${Math.floor(now() / DAY_MS)}\0${url}`);

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The last part of the path if it is the name of a file. Other parts and the query may be secret. */
const nameOf = ({ kind, url, name }: UrlSource): string => {
  if (name !== null) return name;
  const last = decoded(new URL(url).pathname.split('/').at(-1) ?? '');
  return fileFormatOf(last) !== undefined && last.length <= MAX_NAME && nameFault(last) === null ? last : kind;
};

const newUpload = (
  { secret, now }: CreateUploadDependencies,
  { id, account_id, team_id, source }: UrlUpload,
): Upload => {
  const at = now();
  const { kind, url } = source;
  return {
    ...{ id, account_id, team_id, name: nameOf(source), kind, content_type: UNKNOWN_TYPE },
    ...{ size_bytes: MAX_FETCHED_BYTES[kind], sha256: null, state: 'fetching', created_at: at, updated_at: at },
    ...{ expires_at: at + UPLOAD_KEPT_MS.fetching, queued_at: at, result: null, faults: [] },
    fetch: { url, url_hash: hashOf(secret, 'url', url), path: null },
  };
};

const isSame = (found: Upload, wanted: Upload): boolean =>
  found.fetch?.url_hash === wanted.fetch?.url_hash && found.team_id === wanted.team_id && found.kind === wanted.kind;

const fetchAgain = async (
  parts: CreateUploadDependencies,
  found: Upload,
  wanted: Upload,
): Promise<E.Either<UploadFault, Upload>> => {
  const { id, account_id, size_bytes, fetch, updated_at, expires_at } = wanted;
  const before = updated_at - REFETCH_AFTER_MS;
  if (fetch === undefined || found.state !== 'refused' || found.updated_at >= before) return E.right(found);
  const too_many = await uploadRateFault(parts, account_id);
  if (too_many !== null) return E.left(too_many);
  const totals = await storedTotals(parts, account_id, [{ state: 'fetching', count: 1, bytes: size_bytes }]);
  const fault = uploadLimitFault(totals, parts.limits);
  if (fault !== null) return E.left(limitFault(fault, wanted, REFETCH_AFTER_MS / 1_000));
  // False if a concurrent request did it.
  await parts.uploads.refetch(id, before, { size_bytes, fetch, updated_at, expires_at });
  return E.right((await parts.uploads.find(id)) ?? found);
};

/**
 * Begins the fetch of a URL, unless the upload exists. The inspector fetches it. Rejects on outage.
 *
 * @param refetches whether a fetch that failed some time ago begins again
 */
export const fetchUrl = async (
  parts: CreateUploadDependencies,
  upload: UrlUpload,
  refetches: boolean,
): Promise<E.Either<UploadFault, StartedFetch>> => {
  const fault = httpsUrlFault(upload.source.url);
  if (fault !== null) return E.left({ tag: 'invalid', param: 'url', message: fault });
  const wanted = newUpload(parts, upload);
  const known = await parts.uploads.find(upload.id);
  if (known === null) {
    const too_many = await uploadRateFault(parts, upload.account_id);
    if (too_many !== null) return E.left(too_many);
    const stored = await storeUpload(parts, wanted);
    if (E.isLeft(stored)) return stored;
    if (stored.right) return E.right({ upload: wanted, is_new: true });
  }
  // Null if it expired since.
  const found = known ?? (await parts.uploads.find(upload.id)) ?? wanted;
  if (!isSame(found, wanted)) return E.left({ tag: 'other_facts' });
  const again = refetches ? await fetchAgain(parts, found, wanted) : E.right(found);
  return E.map((is: Upload) => ({ upload: is, is_new: false }))(again);
};

/** A request that creates an upload from a URL. Each one without an Idempotency-Key fetches the URL again. */
export const fetchNewUpload = (
  parts: CreateUploadDependencies,
  upload: Omit<UrlUpload, 'id'>,
  idempotency_key: string | null,
): Promise<E.Either<UploadFault, StartedFetch>> =>
  fetchUrl(parts, { ...upload, id: uploadIdFor(parts.secret, upload.account_id, idempotency_key) }, false);
