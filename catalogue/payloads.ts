import * as E from 'fp-ts/lib/Either.js';
import type { PayloadRef } from '../domain/event/payload.ts';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import { catalogueFaultOf } from './blob-faults.ts';
import type { CatalogueFault } from './fault.ts';

/**
 * Stores data that must not be in the log. The path must begin with the prefix of the entity that the data is about, so
 * that an erasure of the entity finds it.
 */
export const storePayload = async (
  blobs: BlobStore,
  path: string,
  bytes: Uint8Array,
): Promise<E.Either<CatalogueFault, PayloadRef>> => {
  try {
    await blobs.ensureContainer();
    return E.right(await blobs.putPayload(path, bytes, 'application/json'));
  } catch (error) {
    return catalogueFaultOf(error);
  }
};

/** Removes a payload that no event names. If this fails, an erasure of the prefix removes it later. */
export const deletePayload = async (blobs: BlobStore, ref: PayloadRef | null): Promise<void> => {
  if (ref !== null) await blobs.remove(ref.path).catch(() => undefined);
};

/** True if no valid event was appended, so that no event names the payload. */
export const isPayloadUnreferenced = ({ tag }: CatalogueFault): boolean =>
  tag === 'illegal' ||
  tag === 'name_refused' ||
  tag === 'read_model_behind' ||
  tag === 'read_model_rebuilding' ||
  tag === 'not_appended';

/** Stores a payload and makes the change that names it. Removes the payload if no event names it in the end. */
export const withPayload = async <A extends { readonly repeated?: true }>(
  blobs: BlobStore,
  path: string,
  bytes: Uint8Array,
  change: (payload: PayloadRef) => Promise<E.Either<CatalogueFault, A>>,
): Promise<E.Either<CatalogueFault, A>> => {
  const stored = await storePayload(blobs, path, bytes);
  if (E.isLeft(stored)) return stored;
  const result = await change(stored.right);
  const is_named = E.isRight(result) ? result.right.repeated !== true : !isPayloadUnreferenced(result.left);
  if (!is_named) await deletePayload(blobs, stored.right);
  return result;
};
