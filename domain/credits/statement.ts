export type GrantEntry = {
  readonly type: 'grant';
  /** ms since the epoch. */
  readonly at: number;
  readonly credits: number;
  readonly grant_id: string;
  readonly granted_by: string | null;
};

export type ChargeEntry = {
  readonly type: 'charge';
  readonly at: number;
  readonly credits: number;
  readonly render_id: string;
  readonly render_name: string | null;
  readonly project_id: string;
};

/** A line of a credit statement, with the balance after it. Reservations have no line. */
export type StatementLine = (GrantEntry | ChargeEntry) & { readonly balance: number };

export const signedAmount = ({ type, credits }: GrantEntry | ChargeEntry): number =>
  type === 'grant' ? credits : -credits;

export type StatementTotals = {
  readonly granted_credits: number;
  readonly charged_credits: number;
  readonly balance: number;
};

export const openingTotals = (opening_balance: number): StatementTotals => ({
  granted_credits: 0,
  charged_credits: 0,
  balance: opening_balance,
});

export const addEntry = (totals: StatementTotals, entry: GrantEntry | ChargeEntry): StatementTotals => ({
  granted_credits: totals.granted_credits + (entry.type === 'grant' ? entry.credits : 0),
  charged_credits: totals.charged_credits + (entry.type === 'charge' ? entry.credits : 0),
  balance: totals.balance + signedAmount(entry),
});
