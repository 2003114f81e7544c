import * as E from 'fp-ts/lib/Either.js';
import type { PayloadRef } from '../../domain/event/payload.ts';
import { BlobFault, type BlobStore } from '../../platform/blob-store/blob-store.ts';
import { emailPath } from '../../schemas/blobs/paths.ts';
import { EmailPayload } from '../../schemas/blobs/payloads.ts';
import type { CliFault } from '../fault.ts';
import { type UserAnswer, userAnswer } from './answers.ts';
import type { CatalogueView } from './catalogue-view.ts';
import { type Catalogue, changeCatalogue } from './change.ts';
import { metaOf, newId } from './identity.ts';

/** Stores the address outside the log, under the user's own prefix, so that it can be erased. */
const storeEmail = async (
  blobs: BlobStore,
  user_id: string,
  email: string,
): Promise<E.Either<CliFault, PayloadRef>> => {
  try {
    const bytes = Buffer.from(JSON.stringify({ email }), 'utf8');
    await blobs.ensureContainer();
    return E.right(await blobs.putPayload(emailPath(user_id), bytes, 'application/json'));
  } catch (error) {
    if (error instanceof BlobFault) return E.left({ tag: 'blob_failed', message: error.message });
    throw error;
  }
};

const emailOf = async (blobs: BlobStore, ref: PayloadRef | null): Promise<string | null> => {
  if (ref === null) return null;
  try {
    const json: unknown = JSON.parse((await blobs.getPayload(ref)).toString('utf8'));
    return EmailPayload.is(json) ? json.email : null;
  } catch (error) {
    // An erased user has no payload any more.
    if (error instanceof BlobFault && error.tag === 'not_found') return null;
    throw error;
  }
};

export type NewUser = { readonly email: string | null; readonly id?: string };

export const createUser = async (
  catalogue: Catalogue,
  blobs: BlobStore,
  wanted: NewUser,
): Promise<E.Either<CliFault, UserAnswer>> => {
  const { email, id = newId('user') } = wanted;
  const stored = email === null ? E.right(null) : await storeEmail(blobs, id, email);
  if (E.isLeft(stored)) return stored;
  const meta = metaOf(catalogue.actor);
  const event = { type: 'UserRegistered', meta, user_id: id, email: stored.right } as const;
  const registered = await changeCatalogue(catalogue, event);
  if (E.isLeft(registered)) return registered;
  const user = await registered.right.view.users.findOne({ _id: id });
  return user === null
    ? E.left({ tag: 'not_found', what: 'user', id, list: 'renderctl user list' })
    : E.right(userAnswer(user, email));
};

export const listUsers = async (view: CatalogueView, blobs: BlobStore): Promise<readonly UserAnswer[]> => {
  const users = await view.users.find().toArray();
  const answers = users.map(async (user) => userAnswer(user, await emailOf(blobs, user.email)));
  return (await Promise.all(answers)).toSorted((a, b) => a.created_at - b.created_at);
};
