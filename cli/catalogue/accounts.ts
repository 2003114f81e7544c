import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../fault.ts';
import { type AccountAnswer, accountAnswer } from './answers.ts';
import type { CatalogueView } from './catalogue-view.ts';
import { type Catalogue, type Changed, changeCatalogue } from './change.ts';
import { metaOf, newId } from './identity.ts';

const shown = async (view: CatalogueView, id: string): Promise<E.Either<CliFault, AccountAnswer>> => {
  const account = await view.accounts.findOne({ _id: id });
  return account === null
    ? E.left({ tag: 'not_found', what: 'account', id, list: 'renderctl account list' })
    : E.right(accountAnswer(account));
};

const after = (changed: E.Either<CliFault, Changed>, id: string): Promise<E.Either<CliFault, AccountAnswer>> =>
  E.isLeft(changed) ? Promise.resolve(changed) : shown(changed.right.view, id);

export type NewAccount = { readonly name: string; readonly unlimited_credits: boolean; readonly id?: string };

export const createAccount = async (catalogue: Catalogue, wanted: NewAccount) => {
  const { name, unlimited_credits, id = newId('acc') } = wanted;
  const meta = metaOf(catalogue.actor);
  return after(
    await changeCatalogue(catalogue, { type: 'AccountCreated', meta, account_id: id, name, unlimited_credits }),
    id,
  );
};

export type Grant = {
  readonly account_id: string;
  readonly credits: number;
  /** A grant of the same id counts once, so a command that was cut off can be repeated. */
  readonly id?: string;
};

export const grantCredits = async (catalogue: Catalogue, grant: Grant) => {
  const { account_id, credits, id: grant_id = newId('grant') } = grant;
  const meta = metaOf(catalogue.actor);
  const granted = await changeCatalogue(catalogue, {
    type: 'CreditsGranted',
    meta,
    account_id,
    grant_id,
    credits,
  });
  return after(granted, account_id);
};

export const accountById = shown;

export const listAccounts = async (view: CatalogueView): Promise<readonly AccountAnswer[]> =>
  (await view.accounts.find().toArray()).map(accountAnswer).toSorted((a, b) => a.created_at - b.created_at);
