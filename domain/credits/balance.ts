/** The limit on an account's spending. */
export type CreditLimit = {
  /** The service never refuses such an account for lack of credits. */
  readonly unlimited_credits: boolean;
  /** The sum of all grants. */
  readonly granted_credits: number;
};

/**
 * The reserved and charged credits of one account's renders in one partition, after the event at `offset`. It is a pure
 * function of the log up to there. If two shares have the same partition, the one with the higher offset is newer.
 */
export type LedgerShare = {
  readonly partition: number;
  readonly offset: number;
  /** Reserved for renders that are not final. */
  readonly reserved_credits: number;
  /** Cost of the renders that are complete. */
  readonly charged_credits: number;
};

/**
 * The remaining credits. The balance is negative if accepted renders cost more than the account had; new grants must
 * first cover the debt.
 */
export const balanceCredits = (granted_credits: number, shares: Iterable<LedgerShare>): number => {
  let left = granted_credits;
  for (const { reserved_credits, charged_credits } of shares) left -= reserved_credits + charged_credits;
  return left;
};
