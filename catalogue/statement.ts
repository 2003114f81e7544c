import * as E from 'fp-ts/lib/Either.js';
import {
  addEntry,
  type ChargeEntry,
  type GrantEntry,
  openingTotals,
  type StatementLine,
  type StatementTotals,
} from '../domain/credits/statement.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import type { Charge, Period } from '../read-models/renders/charges.ts';
import { accountById } from './accounts.ts';
import type { AccountView } from './answers.ts';
import type { CatalogueFault } from './fault.ts';
import { type GrantWithAuthor, grantsWithAuthors } from './grants.ts';

const grantEntry = ({ id: grant_id, credits, created_at: at, granted_by }: GrantWithAuthor): GrantEntry => ({
  type: 'grant',
  at,
  credits,
  grant_id,
  granted_by,
});

const chargeEntry = ({ name: render_name, ...charge }: Charge): ChargeEntry => ({
  type: 'charge',
  ...charge,
  render_name,
});

/** At equal times, grants come first. */
async function* inOrder(
  grants: readonly GrantEntry[],
  charges: AsyncIterable<Charge>,
): AsyncIterable<GrantEntry | ChargeEntry> {
  let next = 0;
  for await (const charge of charges) {
    for (let grant = grants[next]; grant !== undefined && grant.at <= charge.at; grant = grants[next]) {
      yield grant;
      next += 1;
    }
    yield chargeEntry(charge);
  }
  yield* grants.slice(next);
}

export type CreditStatement = {
  readonly account: AccountView;
  readonly period: Period;
  readonly opening_balance: number;
  readonly lines: AsyncIterable<StatementLine>;
  readonly totals: () => StatementTotals;
};

const isBefore = (at: number, bound: number | null): boolean => bound !== null && at < bound;

/**
 * Grants and charges in a period, with the balance after each. Credits reserved by running renders have no line,
 * because a failed render releases them.
 */
export const creditStatement = async (
  read_model: CatalogueReadModel,
  records: RecordLog,
  account_id: string,
  period: Period,
): Promise<E.Either<CatalogueFault, CreditStatement>> => {
  const account = await accountById(read_model, account_id);
  if (E.isLeft(account)) return account;
  const { since, until } = period;
  const grants = (await grantsWithAuthors(read_model, records, account_id)).map(grantEntry);
  const granted_before = grants.filter(({ at }) => isBefore(at, since)).reduce((sum, { credits }) => sum + credits, 0);
  const charged_before = since === null ? 0 : await read_model.charges.sumBefore(account_id, since);
  const opening_balance = granted_before - charged_before;
  const within = grants.filter(({ at }) => !isBefore(at, since) && (until === null || at < until));

  let totals = openingTotals(opening_balance);
  const lines = async function* (): AsyncIterable<StatementLine> {
    for await (const entry of inOrder(within, read_model.charges.during(account_id, period))) {
      totals = addEntry(totals, entry);
      yield { ...entry, balance: totals.balance };
    }
  };
  return E.right({ account: account.right, period, opening_balance, lines: lines(), totals: () => totals });
};
