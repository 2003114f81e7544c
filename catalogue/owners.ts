import * as E from 'fp-ts/lib/Either.js';
import { accountMemberId } from '../domain/catalogue/entities.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { accountById } from './accounts.ts';
import { type OwnerView, ownerView } from './answers.ts';
import { type CatalogueWriter, type ChangeResult, changeAndRead } from './change.ts';
import type { CatalogueFault } from './fault.ts';
import { waitUntilEffective } from './in-force.ts';

export type Owner = { readonly account_id: string; readonly user_id: string };

const ownerOf =
  ({ account_id, user_id }: Owner) =>
  async (read_model: CatalogueReadModel): Promise<E.Either<CatalogueFault, OwnerView>> => {
    const id = accountMemberId(account_id, user_id);
    const member = await read_model.find('account_member', id);
    return member?.owner === true ? E.right(ownerView(member)) : E.left({ tag: 'missing', kind: 'account_member', id });
  };

/** An operator adds the first owner of an account. Owners then add users of the account. */
export const addOwner = async (catalogue: CatalogueWriter, owner: Owner) =>
  changeAndRead(catalogue, { type: 'AddOwner', ...owner }, ownerOf(owner));

/** Returns when the change is in effect. The last owner cannot be removed. */
export const removeOwner = async (
  catalogue: CatalogueWriter,
  { account_id, user_id }: Owner,
): Promise<E.Either<CatalogueFault, ChangeResult<Owner>>> =>
  waitUntilEffective(
    catalogue,
    changeAndRead(catalogue, { type: 'RemoveOwner', account_id, user_id }, async () =>
      E.right({ account_id, user_id }),
    ),
  );

/** In the order of their addition. An unknown account is a fault, not an empty list. */
export const listOwners = async (
  read_model: CatalogueReadModel,
  account_id: string,
): Promise<E.Either<CatalogueFault, readonly OwnerView[]>> => {
  const account = await accountById(read_model, account_id);
  if (E.isLeft(account)) return account;
  const owners = (await read_model.ownersOf(account_id)).map(ownerView);
  return E.right(owners.toSorted((a, b) => (a.owner_since ?? 0) - (b.owner_since ?? 0)));
};
