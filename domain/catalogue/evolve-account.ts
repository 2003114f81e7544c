import { creditGrantId } from './entities.ts';
import type {
  AccountCreated,
  AccountErased,
  AccountRenamed,
  CreditLimitImposed,
  CreditLimitLifted,
  CreditsGranted,
} from './events.ts';
import { acceptedVerdict, type CatalogueVerdict, type CatalogueView, ignoredVerdict } from './verdict.ts';

export const accountCreated = (view: CatalogueView, event: AccountCreated, at: number): CatalogueVerdict => {
  const { account_id: id, name, unlimited_credits } = event;
  if (view('account', id) !== null) return ignoredVerdict('already_exists');
  return acceptedVerdict({ kind: 'account', id, name, unlimited_credits, granted_credits: 0, created_at: at });
};

export const accountRenamed = (view: CatalogueView, { account_id, name }: AccountRenamed): CatalogueVerdict => {
  const account = view('account', account_id);
  if (account === null) return ignoredVerdict('account_unknown');
  return account.name === name ? ignoredVerdict('already_so') : acceptedVerdict({ ...account, name });
};

export const creditLimitSet = (
  view: CatalogueView,
  { type, account_id }: CreditLimitLifted | CreditLimitImposed,
): CatalogueVerdict => {
  const unlimited_credits = type === 'CreditLimitLifted';
  const account = view('account', account_id);
  if (account === null) return ignoredVerdict('account_unknown');
  if (account.unlimited_credits === unlimited_credits) return ignoredVerdict('already_so');
  return acceptedVerdict({ ...account, unlimited_credits });
};

export const creditsGranted = (view: CatalogueView, event: CreditsGranted, at: number): CatalogueVerdict => {
  const { account_id, credits } = event;
  const account = view('account', account_id);
  if (account === null) return ignoredVerdict('account_unknown');
  const id = creditGrantId(account_id, event.grant_id);
  if (view('credit_grant', id) !== null) return ignoredVerdict('already_granted');
  if (credits <= 0) return ignoredVerdict('credits_not_positive');
  const granted_credits = account.granted_credits + credits;
  // Above this limit, sums of credits are no longer exact: a charge of 3 would take 4.
  if (granted_credits > Number.MAX_SAFE_INTEGER) return ignoredVerdict('too_many_credits');
  return acceptedVerdict(
    { ...account, granted_credits },
    { kind: 'credit_grant', id, account_id, credits, created_at: at },
  );
};

/** The erasure does not change granted credits and charges. */
export const accountErased = (
  view: CatalogueView,
  { account_id, meta }: AccountErased,
  at: number,
): CatalogueVerdict => {
  const account = view('account', account_id);
  if (account === null) return ignoredVerdict('account_unknown');
  if (account.erased !== undefined) return ignoredVerdict('already_erased');
  return acceptedVerdict({ ...account, name: '', erased: { at, by: meta.actor, event_id: meta.event_id } });
};
