import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { PayloadRef } from '../../domain/event/payload.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { UserDocument } from '../../read-models/catalogue/documents.ts';
import { emailPath } from '../../schemas/blobs/paths.ts';
import { EmailPayload } from '../../schemas/blobs/payloads.ts';
import type { CliFault } from '../fault.ts';
import { type UserAnswer, userAnswer } from './answers.ts';
import { blobFault } from './blob-faults.ts';
import { type CatalogueView, catalogueView } from './catalogue-view.ts';
import { type After, type Catalogue, changeCatalogue } from './change.ts';
import { metaOf, newId } from './identity.ts';

/** Stores the address outside the log, under the user's own prefix, so that it can be erased. */
const storeEmail = async (
  blobs: BlobStore,
  user_id: string,
  email: string | null,
): Promise<E.Either<CliFault, PayloadRef | null>> => {
  if (email === null) return E.right(null);
  try {
    const bytes = Buffer.from(JSON.stringify({ email }), 'utf8');
    await blobs.ensureContainer();
    return E.right(await blobs.putPayload(emailPath(user_id), bytes, 'application/json'));
  } catch (error) {
    return blobFault(error);
  }
};

/** No event names it (any more). What cannot be removed now goes with the user's prefix when the user is erased. */
const dropEmail = async (blobs: BlobStore, ref: PayloadRef | null): Promise<void> => {
  if (ref !== null) await blobs.remove(ref.path).catch(() => undefined);
};

const emailOf = async (blobs: BlobStore, ref: PayloadRef | null): Promise<E.Either<CliFault, string | null>> => {
  if (ref === null) return E.right(null);
  try {
    const json: unknown = JSON.parse((await blobs.getPayload(ref)).toString('utf8'));
    return E.right(EmailPayload.is(json) ? json.email : null);
  } catch (error) {
    // An erased user has no payload any more.
    return error instanceof BlobFault && error.tag === 'not_found' ? E.right(null) : blobFault(error);
  }
};

const answerOf = async (blobs: BlobStore, user: UserDocument): Promise<E.Either<CliFault, UserAnswer>> => {
  const email = await emailOf(blobs, user.email);
  return E.isLeft(email) ? email : E.right(userAnswer(user, email.right));
};

const documentOf = async (view: CatalogueView, id: string): Promise<E.Either<CliFault, UserDocument>> => {
  const user = await view.users.findOne({ _id: id });
  return user === null ? E.left({ tag: 'not_found', what: 'user', id, list: 'renderctl user list' }) : E.right(user);
};

export const userById = async (
  view: CatalogueView,
  blobs: BlobStore,
  id: string,
): Promise<E.Either<CliFault, UserAnswer>> => {
  const user = await documentOf(view, id);
  return E.isLeft(user) ? user : answerOf(blobs, user.right);
};

export type NewUser = { readonly email: string | null; readonly id?: string };

export const createUser = async (
  catalogue: Catalogue,
  blobs: BlobStore,
  wanted: NewUser,
): Promise<E.Either<CliFault, After<UserAnswer>>> => {
  const { email, id = newId('user') } = wanted;
  const stored = await storeEmail(blobs, id, email);
  if (E.isLeft(stored)) return stored;
  const registered = await changeCatalogue(
    catalogue,
    { type: 'UserRegistered', meta: metaOf(catalogue.actor), user_id: id, email: stored.right },
    async (view) => {
      const there = await userById(view, blobs, id);
      return E.isRight(there) && there.right.email === email;
    },
  );
  if (E.isLeft(registered)) {
    if (registered.left.tag === 'refused') await dropEmail(blobs, stored.right);
    return registered;
  }
  const { view, repeated } = registered.right;
  if (repeated) await dropEmail(blobs, stored.right);
  const user = await userById(view, blobs, id);
  return E.isLeft(user) || !repeated ? user : E.right({ ...user.right, repeated });
};

/**
 * Gives a user another address, or none. The one before is deleted once the change shows.
 *
 * @param email null for none
 */
export const changeEmail = async (
  catalogue: Catalogue,
  blobs: BlobStore,
  user_id: string,
  email: string | null,
): Promise<E.Either<CliFault, After<UserAnswer>>> => {
  const before = await documentOf(await catalogueView(catalogue.db), user_id);
  if (E.isLeft(before)) return before;
  const known = await answerOf(blobs, before.right);
  if (E.isLeft(known)) return known;
  if (known.right.email === email) return E.right({ ...known.right, repeated: true });
  const stored = await storeEmail(blobs, user_id, email);
  if (E.isLeft(stored)) return stored;
  const meta = metaOf(catalogue.actor);
  const change = await changeCatalogue(catalogue, { type: 'UserEmailChanged', meta, user_id, email: stored.right });
  if (E.isLeft(change)) {
    if (change.left.tag === 'refused') await dropEmail(blobs, stored.right);
    return change;
  }
  await dropEmail(blobs, before.right.email);
  return userById(change.right.view, blobs, user_id);
};

/** How many addresses are read from the blob store at once. */
const READ_AT_ONCE = 16;

export const listUsers = async (
  view: CatalogueView,
  blobs: BlobStore,
): Promise<E.Either<CliFault, readonly UserAnswer[]>> => {
  const users = await view.users.find().toArray();
  const one = pLimit(READ_AT_ONCE);
  const answers = await Promise.all(users.map((user) => one(() => answerOf(blobs, user))));
  return E.map((found: readonly UserAnswer[]) => found.toSorted((a, b) => a.created_at - b.created_at))(
    E.sequenceArray(answers),
  );
};
