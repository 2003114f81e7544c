import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { isErased, type User } from '../domain/catalogue/entities.ts';
import type { PayloadRef } from '../domain/event/payload.ts';
import { BlobFault, type BlobStore } from '../platform/blob-store/blob-store.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { emailPath } from '../schemas/blobs/paths.ts';
import { NO_PROFILE, type Profile, profileBytes, profileOf } from '../schemas/blobs/payloads.ts';
import { type UserView, userView } from './answers.ts';
import { catalogueFaultOf } from './blob-faults.ts';
import { type CatalogueWriter, type ChangeResult, changeAndRead } from './change.ts';
import type { CatalogueFault } from './fault.ts';
import { newId } from './identity.ts';
import { findEntity } from './named-entity.ts';
import { deletePayload, isPayloadUnreferenced, storePayload } from './payloads.ts';

const storeProfile = async (
  blobs: BlobStore,
  user_id: string,
  profile: Profile,
): Promise<E.Either<CatalogueFault, PayloadRef | null>> => {
  if (profile.email === null && profile.name === null) return E.right(null);
  return await storePayload(blobs, emailPath(user_id), profileBytes(profile));
};

const readProfile = async (blobs: BlobStore, ref: PayloadRef | null): Promise<E.Either<CatalogueFault, Profile>> => {
  if (ref === null) return E.right(NO_PROFILE);
  try {
    return E.right(profileOf(JSON.parse((await blobs.getPayload(ref)).toString('utf8'))));
  } catch (error) {
    // The payload of an erased user is deleted.
    return error instanceof BlobFault && error.tag === 'not_found' ? E.right(NO_PROFILE) : catalogueFaultOf(error);
  }
};

const answerOf = async (blobs: BlobStore, user: User): Promise<E.Either<CatalogueFault, UserView>> => {
  const profile = await readProfile(blobs, user.email);
  return E.isLeft(profile) ? profile : E.right(userView(user, profile.right));
};

export const userById = async (
  read_model: CatalogueReadModel,
  blobs: BlobStore,
  id: string,
): Promise<E.Either<CatalogueFault, UserView>> => {
  const user = await findEntity(read_model, 'user', id);
  return E.isLeft(user) ? user : answerOf(blobs, user.right);
};

export type NewUser = { readonly email: string | null; readonly id?: string };

export const createUser = async (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  wanted: NewUser,
): Promise<E.Either<CatalogueFault, ChangeResult<UserView>>> => {
  const { email, id = newId('user') } = wanted;
  const stored = await storeProfile(blobs, id, { ...NO_PROFILE, email });
  if (E.isLeft(stored)) return stored;
  const read = (read_model: CatalogueReadModel) => userById(read_model, blobs, id);
  const registered = await changeAndRead(catalogue, { type: 'RegisterUser', user_id: id, email: stored.right }, read);
  if (E.isRight(registered)) return registered;
  if (isPayloadUnreferenced(registered.left)) await deletePayload(blobs, stored.right);
  if (registered.left.tag !== 'illegal' || registered.left.reason !== 'already_exists') return registered;
  // The fold knows only the path of an address, so only this code can compare the addresses.
  const there = await read(catalogue.read_model);
  return E.isRight(there) && there.right.email === email ? E.right({ ...there.right, repeated: true }) : registered;
};

/** Registers a user without an address. An existing user is not changed. */
export const registerUser = async (
  catalogue: CatalogueWriter,
  user_id: string,
): Promise<E.Either<CatalogueFault, { readonly id: string }>> => {
  const read = (read_model: CatalogueReadModel) => findEntity(read_model, 'user', user_id);
  const registered = await changeAndRead(catalogue, { type: 'RegisterUser', user_id, email: null }, read);
  if (E.isRight(registered) || registered.left.tag !== 'illegal') return registered;
  return registered.left.reason === 'already_exists' ? await read(catalogue.read_model) : registered;
};

/** Deletes the old payload when the change is visible. */
const changeProfile = async (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  user_id: string,
  next: (known: Profile) => Profile,
): Promise<E.Either<CatalogueFault, ChangeResult<UserView>>> => {
  const before = await findEntity(catalogue.read_model, 'user', user_id);
  if (E.isLeft(before)) return before;
  const known = await readProfile(blobs, before.right.email);
  if (E.isLeft(known)) return known;
  const wanted = next(known.right);
  if (wanted.email === known.right.email && wanted.name === known.right.name)
    return E.right({ ...userView(before.right, wanted), repeated: true });
  const stored = await storeProfile(blobs, user_id, wanted);
  if (E.isLeft(stored)) return stored;
  const command = { type: 'ChangeEmail', user_id, email: stored.right } as const;
  const change = await changeAndRead(catalogue, command, (read_model) => userById(read_model, blobs, user_id));
  if (E.isRight(change)) await deletePayload(blobs, before.right.email);
  else if (isPayloadUnreferenced(change.left)) await deletePayload(blobs, stored.right);
  return change;
};

/** Keeps the name. @param email null to remove the address */
export const changeEmail = (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  user_id: string,
  email: string | null,
): Promise<E.Either<CatalogueFault, ChangeResult<UserView>>> =>
  changeProfile(catalogue, blobs, user_id, (known) => ({ ...known, email }));

/** Stores the name and the address that the identity provider states. A part that it does not state stays. */
export const storeStatedProfile = (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  user_id: string,
  stated: Profile,
): Promise<E.Either<CatalogueFault, ChangeResult<UserView>>> =>
  changeProfile(catalogue, blobs, user_id, ({ email, name }) => ({
    email: stated.email ?? email,
    name: stated.name ?? name,
  }));

const READ_AT_ONCE = 16;

export const listUsers = async (
  read_model: CatalogueReadModel,
  blobs: BlobStore,
): Promise<E.Either<CatalogueFault, readonly UserView[]>> => {
  const users = (await read_model.users()).filter((user) => !isErased(user));
  const one = pLimit(READ_AT_ONCE);
  const answers = await Promise.all(users.map((user) => one(() => answerOf(blobs, user))));
  return E.map((found: readonly UserView[]) => found.toSorted((a, b) => a.created_at - b.created_at))(
    E.sequenceArray(answers),
  );
};
