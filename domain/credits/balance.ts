/** What an account may spend. */
export type CreditLimit = {
  /** Such an account is never refused for want of credits. */
  readonly unlimited_credits: boolean;
  /** All that was ever granted. */
  readonly granted_credits: number;
};

/**
 * What the renders of one account hold and have cost in one partition of the log, as of the event at `offset`. A pure
 * function of the log up to there: of two shares of one partition, the one with the higher offset is the newer.
 */
export type LedgerShare = {
  readonly partition: number;
  readonly offset: number;
  /** Held back for renders that are not final. */
  readonly reserved_credits: number;
  /** Cost of the renders that are complete. */
  readonly charged_credits: number;
};

/** Credits that are left. Below zero where more was accepted than there was, which then has to be granted first. */
export const balanceCredits = (granted_credits: number, shares: Iterable<LedgerShare>): number => {
  let left = granted_credits;
  for (const { reserved_credits, charged_credits } of shares) left -= reserved_credits + charged_credits;
  return left;
};
