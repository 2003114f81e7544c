import * as E from 'fp-ts/lib/Either.js';
import type { Db } from 'mongodb';
import { creditGrantId } from '../../domain/catalogue/entities.ts';
import { renderCollections } from '../../read-models/collections.ts';
import { servingGeneration } from '../../read-models/generations.ts';
import type { LedgerDocument } from '../../read-models/renders/documents.ts';
import type { CliFault } from '../fault.ts';
import {
  type AccountAnswer,
  accountAnswer,
  type CreditsAnswer,
  creditsAnswer,
  type GrantAnswer,
  grantAnswer,
} from './answers.ts';
import { type CatalogueView, catalogueView } from './catalogue-view.ts';
import { type After, type Catalogue, changeCatalogue, changed } from './change.ts';
import { metaOf, newId } from './identity.ts';

type Account = E.Either<CliFault, AccountAnswer>;

export const accountById = async (view: CatalogueView, id: string): Promise<Account> => {
  const account = await view.accounts.findOne({ _id: id });
  return account === null
    ? E.left({ tag: 'not_found', what: 'account', id, list: 'renderctl account list' })
    : E.right(accountAnswer(account));
};

export type NewAccount = { readonly name: string; readonly unlimited_credits: boolean; readonly id?: string };

export const createAccount = async (catalogue: Catalogue, wanted: NewAccount) => {
  const { name, unlimited_credits, id = newId('acc') } = wanted;
  const meta = metaOf(catalogue.actor);
  return changed(
    catalogue,
    { type: 'AccountCreated', meta, account_id: id, name, unlimited_credits },
    (view) => accountById(view, id),
    (account) => account.name === name && account.unlimited_credits === unlimited_credits,
  );
};

export const renameAccount = async (catalogue: Catalogue, account_id: string, name: string) =>
  changed(
    catalogue,
    { type: 'AccountRenamed', meta: metaOf(catalogue.actor), account_id, name },
    (view) => accountById(view, account_id),
    (account) => account.name === name,
  );

/** @param unlimited_credits whether the account is never refused for want of credits */
export const setCreditLimit = async (catalogue: Catalogue, account_id: string, unlimited_credits: boolean) =>
  changed(
    catalogue,
    {
      type: unlimited_credits ? 'CreditLimitLifted' : 'CreditLimitImposed',
      meta: metaOf(catalogue.actor),
      account_id,
    },
    (view) => accountById(view, account_id),
    (account) => account.unlimited_credits === unlimited_credits,
  );

export type Grant = {
  readonly account_id: string;
  readonly credits: number;
  /** A grant of the same id counts once, so a command that was cut off can be repeated. */
  readonly id?: string;
};

export const grantCredits = async (
  catalogue: Catalogue,
  grant: Grant,
): Promise<E.Either<CliFault, After<AccountAnswer>>> => {
  const { account_id, credits, id: grant_id = newId('grant') } = grant;
  const meta = metaOf(catalogue.actor);
  const granted = await changeCatalogue(
    catalogue,
    { type: 'CreditsGranted', meta, account_id, grant_id, credits },
    async (view) =>
      (await view.credit_grants.findOne({ _id: creditGrantId(account_id, grant_id) }))?.credits === credits,
  );
  if (E.isLeft(granted)) return granted;
  const { view, repeated } = granted.right;
  const account = await accountById(view, account_id);
  return E.isLeft(account) || !repeated ? account : E.right({ ...account.right, repeated });
};

/** The grants of an account, oldest first. An unknown account is a fault, not an empty list. */
export const listGrants = async (
  view: CatalogueView,
  account_id: string,
): Promise<E.Either<CliFault, readonly GrantAnswer[]>> => {
  const account = await accountById(view, account_id);
  if (E.isLeft(account)) return account;
  const grants = await view.credit_grants.find({ account_id }).toArray();
  return E.right(grants.map(grantAnswer).toSorted((a, b) => a.created_at - b.created_at));
};

/** The version of the render read model that has a ledger first. */
const LEDGER_SINCE = 2;

/** An account with what its renders hold and have cost: the sum of its ledger's documents. */
export const accountWithCredits = async (db: Db, id: string): Promise<E.Either<CliFault, CreditsAnswer>> => {
  const account = await accountById(await catalogueView(db), id);
  if (E.isLeft(account)) return account;
  const { generation, model_version } = await servingGeneration(db, 'renders')();
  if (model_version < LEDGER_SINCE) {
    const message = 'the ledger of credits is being made from the log; try again when the projectors are done with it';
    return E.left({ tag: 'refused', reason: 'no_ledger_yet', message });
  }
  const ledger = db.collection<LedgerDocument>(renderCollections(generation).ledger);
  return E.right(creditsAnswer(account.right, await ledger.find({ account_id: id }).toArray()));
};

export const listAccounts = async (view: CatalogueView): Promise<readonly AccountAnswer[]> =>
  (await view.accounts.find().toArray()).map(accountAnswer).toSorted((a, b) => a.created_at - b.created_at);
