import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { type IdentityView, identityView } from './answers.ts';
import { type CatalogueWriter, type ChangeResult, changeAndRead } from './change.ts';
import type { CatalogueFault } from './fault.ts';
import { waitUntilEffective } from './in-force.ts';
import { findEntity } from './named-entity.ts';

export type LinkedIdentity = {
  /** A keyed hash of the issuer and the subject, lowercase hex. */
  readonly identity_id: string;
  readonly user_id: string;
};

const identityById =
  (id: string) =>
  async (read_model: CatalogueReadModel): Promise<E.Either<CatalogueFault, IdentityView>> =>
    E.map(identityView)(await findEntity(read_model, 'identity', id));

/**
 * Returns when a sign-in with the identity is a sign-in of the user. Refused if the identity belongs to another user.
 */
export const linkIdentity = async (
  catalogue: CatalogueWriter,
  identity: LinkedIdentity,
): Promise<E.Either<CatalogueFault, ChangeResult<IdentityView>>> =>
  changeAndRead(catalogue, { type: 'LinkIdentity', ...identity }, identityById(identity.identity_id));

/** Returns when the change is in effect. An operator may unlink the last identity, which locks the user out. */
export const unlinkIdentity = async (
  catalogue: CatalogueWriter,
  identity: LinkedIdentity,
): Promise<E.Either<CatalogueFault, ChangeResult<IdentityView>>> =>
  waitUntilEffective(
    catalogue,
    changeAndRead(catalogue, { type: 'UnlinkIdentity', ...identity }, identityById(identity.identity_id)),
  );

/** An unknown user is a fault, not an empty list. */
export const listIdentities = async (
  read_model: CatalogueReadModel,
  user_id: string,
): Promise<E.Either<CatalogueFault, readonly IdentityView[]>> => {
  const user = await findEntity(read_model, 'user', user_id);
  if (E.isLeft(user)) return user;
  const linked = (await read_model.find('user_identities', user_id))?.identity_ids ?? [];
  const found = await Promise.all(linked.map((id) => read_model.find('identity', id)));
  return E.right(found.flatMap((identity) => (identity === null ? [] : [identityView(identity)])));
};
