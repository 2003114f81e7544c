import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { type AccountView, accountView, type CreditsView, creditsView } from './answers.ts';
import { type CatalogueWriter, changeAndRead } from './change.ts';
import type { CatalogueFault } from './fault.ts';
import { newId } from './identity.ts';
import { findEntity } from './named-entity.ts';

export const accountById = async (
  read_model: CatalogueReadModel,
  id: string,
): Promise<E.Either<CatalogueFault, AccountView>> => E.map(accountView)(await findEntity(read_model, 'account', id));

const read = (id: string) => (read_model: CatalogueReadModel) => accountById(read_model, id);

export type NewAccount = { readonly name: string; readonly unlimited_credits: boolean; readonly id?: string };

export const createAccount = async (catalogue: CatalogueWriter, { id = newId('acc'), ...wanted }: NewAccount) =>
  changeAndRead(catalogue, { type: 'CreateAccount', account_id: id, ...wanted }, read(id));

export const renameAccount = async (catalogue: CatalogueWriter, account_id: string, name: string) =>
  changeAndRead(catalogue, { type: 'RenameAccount', account_id, name }, read(account_id));

export const setCreditLimit = async (catalogue: CatalogueWriter, account_id: string, unlimited_credits: boolean) =>
  changeAndRead(catalogue, { type: 'SetCreditLimit', account_id, unlimited_credits }, read(account_id));

export type Grant = {
  readonly account_id: string;
  readonly credits: number;
  /** A grant with the same id counts once, so an interrupted command can be repeated. */
  readonly id?: string;
};

export const grantCredits = async (catalogue: CatalogueWriter, { id: grant_id = newId('grant'), ...grant }: Grant) =>
  changeAndRead(catalogue, { type: 'GrantCredits', grant_id, ...grant }, read(grant.account_id));

export const accountWithCredits = async (
  read_model: CatalogueReadModel,
  id: string,
): Promise<E.Either<CatalogueFault, CreditsView>> => {
  const account = await accountById(read_model, id);
  if (E.isLeft(account)) return account;
  const ledger = await read_model.ledgerOf(id);
  return ledger === null ? E.left({ tag: 'no_ledger_yet' }) : E.right(creditsView(account.right, ledger));
};

export const listAccounts = async (read_model: CatalogueReadModel): Promise<readonly AccountView[]> =>
  (await read_model.accounts()).map(accountView).toSorted((a, b) => a.created_at - b.created_at);
